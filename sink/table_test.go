package sink

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// processes holds three counters of three instances, with gaps.
func processes() []winperf.Reading {
	return []winperf.Reading{
		value(`\\HOST\Process(_Total)\% Processor Time`, counter.Float(198.466), counter.Percent),
		value(`\\HOST\Process(_Total)\Working Set`, counter.Int(123456789012), counter.Count),
		value(`\\HOST\Process(_Total)\Owner`, counter.Text(""), counter.TextUnit),
		value(`\\HOST\Process(build)\% Processor Time`, counter.Float(3.25), counter.Percent),
		value(`\\HOST\Process(build)\Working Set`, counter.Int(4096), counter.Count),
		value(`\\HOST\Process(build)\Owner`, counter.Text("root"), counter.TextUnit),
		missing(`\\HOST\Process(build#1)\% Processor Time`, counter.NoPrevious),
		value(`\\HOST\Process(build#1)\Working Set`, counter.Int(0), counter.Count),
	}
}

// tableOf returns the plain table of moments in lines of the given width.
func tableOf(t *testing.T, width int, o Options, moments ...[]winperf.Reading) string {
	t.Helper()
	o.Location = time.UTC
	o.Size = func() (int, int) { return width, 5 } // plain tables have any height
	return render(t, func(w io.Writer) Sink { return newTable(w, o) }, moments...)
}

func TestTable(t *testing.T) {
	got := tableOf(t, 0, Options{Single: true}, processes())
	want := `Process  % Processor Time   Working Set  Owner
_Total             198.47  123456789012  ""
build                3.25          4096  root
build#1       no_previous             0  -
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A value whose series is of another instance than before has a mark, where that is asked for.
func TestTableOfSwitches(t *testing.T) {
	readings := processes()
	readings[3].Anomalies = readings[3].Anomalies.With(winperf.InstancesRenamed)
	readings[5].Anomalies = readings[5].Anomalies.With(winperf.InstancesAdded)
	readings[6].Anomalies = readings[6].Anomalies.With(winperf.InstancesAdded)
	readings[7].Anomalies = readings[7].Anomalies.With(winperf.SampleLate)
	got := tableOf(t, 0, Options{Single: true, Switches: true}, readings)
	want := `Process  % Processor Time   Working Set  Owner
_Total             198.47  123456789012  ""
build               *3.25          4096  *root
build#1      *no_previous             0  -
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff(tableOf(t, 0, Options{Single: true}, processes()), tableOf(t, 0, Options{Single: true}, readings)); diff != "" {
		t.Errorf("without the option: %s", diff)
	}
}

func TestTableOfMoments(t *testing.T) {
	memory := []winperf.Reading{
		value(`\\HOST\Memory\Available MBytes`, counter.Int(1234567), counter.Count),
		value(`\\HOST\Memory\Pages/sec`, counter.Float(0), counter.PerSecond),
	}
	got := tableOf(t, 80, Options{}, append(processes(), memory...), nil, memory[:1])
	want := `2026-03-01 09:30:00.123 +00:00  HOST
Process  % Processor Time   Working Set  Owner
_Total             198.47  123456789012  ""
build                3.25          4096  root
build#1       no_previous             0  -

Memory  Available MBytes  Pages/sec
                 1234567       0.00

2026-03-01 09:30:01.123 +00:00

2026-03-01 09:30:02.123 +00:00  HOST
Memory  Available MBytes
                 1234567
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTableAge says how old the values of an object are that was sampled apart.
func TestTableAge(t *testing.T) {
	readings := append(processes()[:3], value(`\\HOST\Memory\Pages/sec`, counter.Float(0), counter.PerSecond))
	for i := range readings[:3] {
		readings[i].Time = readings[i].Time.Add(-2345 * time.Millisecond)
	}
	got := tableOf(t, 0, Options{Single: true}, readings, processes()[:3])
	want := `Process (2.3 s old)  % Processor Time   Working Set  Owner
_Total                         198.47  123456789012  ""

Memory  Pages/sec
             0.00

Process  % Processor Time   Working Set  Owner
_Total             198.47  123456789012  ""
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTableBroken breaks a table that does not fit into tables side by side.
func TestTableBroken(t *testing.T) {
	got := tableOf(t, 40, Options{Single: true}, processes())
	want := `Process  % Processor Time   Working Set
_Total             198.47  123456789012
build                3.25          4096
build#1       no_previous             0
Process  Owner
_Total   ""
build    root
build#1  -
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	broken := 0
	for width := 1; width < 60; width++ { // nothing is lost, however narrow it is
		got := tableOf(t, width, Options{Single: true}, processes())
		if strings.Count(got, "Process ") > 1 {
			broken++
		}
		for _, text := range []string{"% Processor Time", "Working Set", "Owner", "198.47", "123456789012", "root", "no_previous"} {
			if strings.Count(got, text) != 1 {
				t.Errorf("width %d: %q is there %d times", width, text, strings.Count(got, text))
			}
		}
		for line := range strings.Lines(got) {
			if n := safetext.Width(strings.TrimSuffix(line, "\n")); n > max(width, len("Process  % Processor Time")) {
				t.Errorf("width %d: a line of %d columns: %q", width, n, line)
			}
		}
	}
	if want := len("Process  % Processor Time   Working Set  Owner") - 1; broken != want {
		t.Errorf("broken for %d widths, want %d", broken, want)
	}
}

// TestTableList shows an object with a single row that does not fit.
func TestTableList(t *testing.T) {
	want := `Memory
Available Bytes          18446744073709551615
Flags                              0x0000BEEF
Mask                       0x000000000000BEEF
Pages/sec                             1234.50  /s
Broken                                    NaN  %
Owner                         say "hi",\t名前
Nothing                                     -
Is no_previous                    no_previous
Is invalid_data                  invalid_data
Is negative_denominator  negative_denominator
Is negative_value              negative_value
Is negative_timebase        negative_timebase
Is no_instance                    no_instance
Is no_counter                      no_counter
Is no_object                        no_object
Is unsupported                    unsupported
`
	for _, width := range []int{0, 80, 120} {
		if diff := cmp.Diff(want, tableOf(t, width, Options{Single: true}, everyStatus())); diff != "" {
			t.Errorf("width %d:\n%s", width, diff)
		}
	}
	got := tableOf(t, 30, Options{Single: true}, []winperf.Reading{
		value(`\\HOST\PhysicalDisk(0 C:)\Avg. Disk sec/Read`, counter.Float(0.0012345), counter.Seconds),
		value(`\\HOST\PhysicalDisk(0 C:)\% Disk Time`, counter.Float(99.5), counter.Percent),
	})
	want = `PhysicalDisk(0 C:)
Avg. Disk sec/Read  0.001234  s
% Disk Time            99.50  %
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTableNames aligns names that are wide, empty, hostile or end like an index.
func TestTableNames(t *testing.T) {
	reading := func(instance string, index int, v uint64) winperf.Reading {
		s := winperf.NewSeries(winperf.Path{Object: "対象", Instance: instance, Index: index, HasInstance: true, Counter: "数"})
		return winperf.Reading{Series: s, Value: counter.Int(v)}
	}
	got := tableOf(t, 0, Options{Single: true}, []winperf.Reading{
		reading("進程/一", 0, 1), reading("", 0, 22), reading("build#5", 0, 333),
		reading("build", 5, 4444), reading("\x1b[2J\nX", 0, 5), reading("a(b)\\c", 0, 6),
	})
	want := `対象          数
進程/一        1
              22
build#5#0    333
build#5     4444
\x1b[2J\nX     5
a(b)\c         6
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTableOfMachines(t *testing.T) {
	got := tableOf(t, 0, Options{}, []winperf.Reading{
		value(`\\A\System\Threads`, counter.Int(1), counter.Count),
		value(`\\B\System\Threads`, counter.Int(2), counter.Count),
		value(`\\A\System\Threads`, counter.Int(3), counter.Count), // read again: the last one counts
	})
	want := `2026-03-01 09:30:00.123 +00:00
\\A\System  Threads
                  3

\\B\System  Threads
                  2
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = tableOf(t, 0, Options{}, []winperf.Reading{
		missing(`\System\Threads`, counter.NoInstance), // a path as it was typed
		value(`\\A\System\Processes`, counter.Int(2), counter.Count),
		value(`\\a\System\Threads`, counter.Int(3), counter.Count),
	})
	want = `2026-03-01 09:30:00.123 +00:00  A
System  Threads  Processes
              3          2
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTableSparse checks that many objects of one name with other counters
// each do not make a table of all instances by all counters.
func TestTableSparse(t *testing.T) {
	var readings []winperf.Reading
	for i := range 2000 {
		path := fmt.Sprintf(`\\HOST\A(i%d)\c%d`, i, i)
		readings = append(readings, value(path, counter.Float(float64(i)), counter.PerSecond))
	}
	got := tableOf(t, 0, Options{Single: true}, readings)
	lines := strings.Split(got, "\n")
	if len(lines) != len(readings)+2 {
		t.Fatalf("%d lines, want %d", len(lines), len(readings)+2)
	}
	want := []string{"A", `(i0)\c0           0.00  /s`, `(i1)\c1           1.00  /s`}
	if diff := cmp.Diff(want, lines[:3]); diff != "" {
		t.Error(diff)
	}
	if len(got) > 40*len(readings) {
		t.Errorf("%d bytes for %d readings", len(got), len(readings))
	}
}

// TestTableLong checks that a long text is whole in a pipe and does not widen
// the other lines without limit.
func TestTableLong(t *testing.T) {
	long := strings.Repeat("long ", 300) + "end"
	got := tableOf(t, 0, Options{Single: true}, []winperf.Reading{
		value(`\\HOST\Process(a)\Command`, counter.Text(long), counter.TextUnit),
		value(`\\HOST\Process(b)\Command`, counter.Text("b"), counter.TextUnit),
		value(`\\HOST\Process(`+long+`)\Size`, counter.Int(1), counter.Count),
	})
	lines := strings.Split(got, "\n")
	if !strings.Contains(lines[1], long) || !strings.HasPrefix(lines[3], long) {
		t.Errorf("%q is not whole", long)
	}
	if n := len(lines[2]); n > 2*maxColumn+20 {
		t.Errorf("a line of %d columns without a long text", n)
	}
}
