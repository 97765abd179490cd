package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider"
)

// processes is a sample of Process, n seconds after the first.
func processes(n int64, all ...instance) sample {
	return sample{at: n, objects: []object{{Object: process, instances: all}}}
}

// follow reads samples and shows, for each, its readings and which of them
// carry the series of the sample before: those end in "=". An ID is never that of
// another series.
func follow(t *testing.T, sel winperf.Selection, samples ...sample) [][]string {
	t.Helper()
	c := measure.New(script(samples...), sel, measure.Options{})
	before, ids := map[*winperf.Series]bool{}, map[winperf.SeriesID]*winperf.Series{}
	var all [][]string
	for range samples {
		cy := cycle(t, c)
		text, now := lines(cy.Readings()), map[*winperf.Series]bool{}
		for i, r := range cy.Readings() {
			if before[r.Series] {
				text[i] += " ="
			}
			if was := ids[r.ID]; was != nil && was != r.Series || was == nil && before[r.Series] {
				t.Errorf("%s: its ID was that of %s", r, was)
			}
			ids[r.ID] = r.Series
			if now[r.Series] {
				t.Errorf("%s: two readings of one series", r)
			}
			now[r.Series] = true
		}
		before = now
		all = append(all, text)
	}
	return all
}

func TestInstancesOverTime(t *testing.T) {
	const h, busy = `\\HOST\Process(`, `)\% Processor Time `
	a, b, c := proc("a", 4, 50, 0), proc("b", 8, 50, 0), proc("c", 12, 50, 0)
	// later is the same process after it was busy for some hundredths of a second.
	later := func(in instance, hundredths uint64) instance {
		return instance{name: in.name, raw: []uint64{in.raw[0] + hundredths*second/100, in.raw[1], in.raw[2]}}
	}
	tests := []struct {
		name    string
		path    string
		samples []sample
		want    [][]string
	}{
		{
			"stay", `\Process(*)\% Processor Time`,
			[]sample{processes(0, a, b), processes(1, later(a, 10), later(b, 20))},
			[][]string{{h + "a" + busy + "no_previous", h + "b" + busy + "no_previous"}, {h + "a" + busy + "10 =", h + "b" + busy + "20 ="}},
		},
		{
			"come and go", `\Process(*)\% Processor Time`,
			[]sample{processes(0, a, b), processes(1, later(b, 20), c), processes(2, later(b, 30), later(c, 40), later(a, 99))},
			[][]string{
				{h + "a" + busy + "no_previous", h + "b" + busy + "no_previous"},
				{h + "b" + busy + "20 =", h + "c" + busy + "no_previous"},
				{h + "b" + busy + "10 =", h + "c" + busy + "40 =", h + "a" + busy + "no_previous"},
			},
		},
		{
			"change places", `\Process(*)\% Processor Time`,
			[]sample{processes(0, a, b, c), processes(1, later(c, 1), later(b, 2), later(a, 3))},
			[][]string{
				{h + "a" + busy + "no_previous", h + "b" + busy + "no_previous", h + "c" + busy + "no_previous"},
				{h + "c" + busy + "1 =", h + "b" + busy + "2 =", h + "a" + busy + "3 ="},
			},
		},
		{
			"renumbered: the value stays right, the name is a new series", `\Process(*)\% Processor Time`,
			[]sample{
				processes(0, proc("x", 4, 50, 0), proc("x", 8, 40, 500), proc("x", 12, 30, 900)),
				processes(1, proc("x", 8, 40, 510), proc("x", 12, 30, 930)),
				processes(2, proc("x", 8, 40, 520), proc("x", 12, 30, 960)),
			},
			[][]string{
				{h + "x" + busy + "no_previous", h + "x#1" + busy + "no_previous", h + "x#2" + busy + "no_previous"},
				{h + "x" + busy + "10", h + "x#1" + busy + "30"},
				{h + "x" + busy + "10 =", h + "x#1" + busy + "30 ="},
			},
		},
		{
			"another process under the same name in the same place", `\Process(*)\% Processor Time`,
			[]sample{processes(0, a, proc("x", 8, 40, 500), b), processes(1, later(a, 1), proc("x", 16, 0, 600), later(b, 2)), processes(2, later(a, 2), proc("x", 16, 0, 610), later(b, 4))},
			[][]string{
				{h + "a" + busy + "no_previous", h + "x" + busy + "no_previous", h + "b" + busy + "no_previous"},
				{h + "a" + busy + "1 =", h + "x" + busy + "600", h + "b" + busy + "2 ="},
				{h + "a" + busy + "1 =", h + "x" + busy + "10 =", h + "b" + busy + "2 ="},
			},
		},
		{
			"another process with the same id", `\Process(x)\% Processor Time`,
			[]sample{processes(0, proc("x", 8, 40, 500)), processes(1, proc("x", 8, 0, 600))},
			[][]string{{h + "x" + busy + "no_previous"}, {h + "x" + busy + "600"}},
		},
		{
			"a named one that goes and another that comes", `\Process(x)\% Processor Time`,
			[]sample{processes(0, a, proc("x", 8, 40, 0)), processes(1, a), processes(2, a), processes(3, a, proc("x", 8, 40, 9))},
			[][]string{
				{h + "x" + busy + "no_previous"}, {`\\HOST\Process(x)\% Processor Time no_instance`},
				{`\\HOST\Process(x)\% Processor Time no_instance =`}, {h + "x" + busy + "no_previous"},
			},
		},
		{
			"none left", `\Process(*)\ID Process`,
			[]sample{processes(0, a), processes(1), processes(2, a)},
			[][]string{{h + `a)\ID Process 4`}, {`\\HOST\Process(*)\ID Process no_instance`}, {h + `a)\ID Process 4`}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, follow(t, selection(t, tt.path), tt.samples...)); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
		})
	}
}

// Objects that come before others, move or go do not disturb these.
func TestObjectsOverTime(t *testing.T) {
	all := func(n uint64) (systems, processors, disks object) {
		return object{Object: system, instances: []instance{{raw: []uint64{n, 100 * n}}}},
			object{Object: processor, instances: []instance{{name: "0", raw: []uint64{0, 10 * n}}}},
			object{Object: disk, instances: []instance{{name: "C:", raw: []uint64{1000 * n, n, 0}}}}
	}
	at := func(n int64, objects ...object) sample { return sample{at: n, objects: objects} }
	s0, _, d0 := all(0)
	s1, p1, d1 := all(1)
	s2, p2, _ := all(2)
	s3, p3, d3 := all(3)
	got := follow(t, selection(t, `\System\Context*`, `\Processor(*)\Int*`, `\LogicalDisk(*)\Avg*`),
		at(0, s0, d0), at(1, p1, s1, d1), at(2, p2, s2), at(3, d3, s3, p3))
	const (
		switches, interrupts, average = `\\HOST\System\Context Switches/sec `, `\\HOST\Processor(0)\Interrupts/sec `, `\\HOST\LogicalDisk(C:)\Avg. Disk sec/Read `
	)
	want := [][]string{
		{switches + "no_previous", `\\HOST\Processor(*)\Int* no_object`, average + "no_previous"},
		{switches + "100 =", interrupts + "no_previous", average + "1 ="},
		{switches + "100 =", interrupts + "10 =", `\\HOST\LogicalDisk(*)\Avg* no_object`},
		{switches + "100 =", interrupts + "10 =", average + "no_previous"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

// What stays the same of an object whose definitions change keeps its series.
func TestDefinitionsOverTime(t *testing.T) {
	twin := *processor
	twin.Counters = []provider.Counter{ // in another order, and one counts in 8 bytes now
		{Index: 148, Name: "Interrupts/sec", Type: counter.BulkCount, Scale: -2},
		{Index: 6, Name: "% Processor Time", Type: counter.Timer100NSec},
	}
	at := func(n int64, o object) sample { return sample{at: n, objects: []object{o}} }
	values := func(n uint64) []instance { return []instance{{name: "0", raw: []uint64{n * second / 4, 100 * n}}} }
	turned := func(n uint64) []instance { return []instance{{name: "0", raw: []uint64{100 * n, n * second / 4}}} }
	first := func(i int) bool { return i == 0 }
	got := follow(t, selection(t, `\Processor(0)\% Processor Time`, `\Processor(0)\Interrupts/sec`),
		at(0, object{Object: processor, instances: values(0)}),
		at(1, object{Object: processor, keep: first, instances: values(1)}),
		at(2, object{Object: processor, instances: values(2)}),
		at(3, object{Object: &twin, instances: turned(3)}),
		at(4, object{Object: &twin, instances: turned(4)}))
	const percent, interrupts = `\\HOST\Processor(0)\% Processor Time `, `\\HOST\Processor(0)\Interrupts/sec `
	want := [][]string{
		{percent + "no_previous", interrupts + "no_previous"},
		{percent + "25 =", `\\HOST\Processor(0)\Interrupts/sec no_counter`},
		{percent + "25 =", interrupts + "no_previous"},
		{percent + "25 =", interrupts + "invalid_data"},
		{percent + "25 =", interrupts + "100 ="},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

// A new schema gives new series to what it gives new names, and to nothing else.
func TestNamesOverTime(t *testing.T) {
	renamed := english()
	renamed[146] = "Switches/sec"
	samples := []sample{count(0), count(1), count(2)}
	samples[1].schema = schema(english())
	samples[2].schema = schema(renamed)
	got := follow(t, selection(t, `\System\*`), samples...)
	want := [][]string{
		{`\\HOST\System\Processes 0`, `\\HOST\System\Context Switches/sec no_previous`},
		{`\\HOST\System\Processes 1 =`, `\\HOST\System\Context Switches/sec 100 =`},
		{`\\HOST\System\Processes 2 =`, `\\HOST\System\Switches/sec 100`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

// A record may hold samples of several machines, which are not computed
// against one another.
func TestMachinesOverTime(t *testing.T) {
	samples := []sample{count(0), count(1), count(2)}
	samples[1].machine = "OTHER"
	c := measure.New(recording{script(samples...), len(samples)}, selection(t, `\System\Processes`, `\\other\System\*`), measure.Options{})
	want := [][]string{
		{`\\HOST\System\Processes 0`, `\\other\System\* no_object`},
		{`\\OTHER\System\Processes 1`, `\\OTHER\System\Context Switches/sec no_previous`},
		{`\\HOST\System\Processes 2`, `\\other\System\* no_object`},
	}
	for i := range want {
		if diff := cmp.Diff(want[i], lines(cycle(t, c).Readings())); diff != "" {
			t.Errorf("sample %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestSeries(t *testing.T) {
	c := measure.New(script(two()...), selection(t, `\Processor(1)\Interrupts/sec`, `\Thread(svchost/0#1)\*`), measure.Options{})
	r := cycle(t, c).Readings()
	want := winperf.NewSeries(winperf.Path{Machine: "HOST", Object: "Processor", Instance: "1", HasInstance: true, Counter: "Interrupts/sec"})
	want.ObjectID, want.CounterID = winperf.ObjectID{Index: 238}, winperf.CounterID{Index: 148}
	want.Type, want.Unit, want.Scale = counter.CounterCounter, counter.PerSecond, -2
	want.ID = r[0].ID
	if diff := cmp.Diff(want, r[0].Series, cmp.AllowUnexported(winperf.Series{})); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	if p := r[1].Path; p.Instance != "svchost/0" || p.Index != 1 {
		t.Errorf("instance %q, index %d", p.Instance, p.Index)
	}
}

// Two objects of a damaged block with one identity are never one series, nor are the
// instances that come to them.
func TestEqualObjects(t *testing.T) {
	const first, second, other = "a", "b", "object 1002\n counter 1004 PERF_COUNTER_RAWCOUNT\n"
	object := func(names ...string) string {
		text := "object 1000\n counter 1002 PERF_COUNTER_RAWCOUNT\n"
		for _, name := range names {
			text += fmt.Sprintf(" instance %q : 1\n", name)
		}
		return text
	}
	r := &ring{}
	for _, objects := range []string{
		object(first) + other + object(second),
		other + object(first) + object(second),
		object(first, "c") + object(second, "d") + other,
		object(second) + object(first) + other,
	} {
		b, err := perfdata.ParseText([]byte("block name=\"HOST\" perftime=1000 perffreq=100 time100ns=133500000000000000\n" + objects))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		r.blocks = append(r.blocks, perftest.Sample{Bytes: raw})
	}

	c := measure.New(r, winperf.Selection{Global: true}, measure.Options{})
	for n := range r.blocks {
		cy, seen := cycle(t, c), map[winperf.SeriesID]string{}
		for _, reading := range cy.Readings() {
			if was, twice := seen[reading.ID]; twice {
				t.Errorf("sample %d: %s has the ID of %s", n, reading, was)
			}
			seen[reading.ID] = reading.Series.String()
		}
		if len(seen) < 2 {
			t.Errorf("sample %d: %d series", n, len(seen))
		}
	}
}

// When all numbers were given, every instance is another series than before, and has
// the values that it would have had.
func TestNumbersSpent(t *testing.T) {
	a, b := proc("a", 4, 50, 0), proc("b", 8, 50, 0)
	busy := instance{name: a.name, raw: []uint64{a.raw[0] + second/10, a.raw[1], a.raw[2]}}
	c := measure.New(script(processes(0, a), processes(1, busy, b)), selection(t, `\Process(*)\% Processor Time`), measure.Options{})
	before := cycle(t, c).Readings()[0].ID
	c.SpendNumbers()
	now := cycle(t, c).Readings()
	want := []string{`\\HOST\Process(a)\% Processor Time 10`, `\\HOST\Process(b)\% Processor Time no_previous`}
	if diff := cmp.Diff(want, lines(now)); diff != "" {
		t.Error(diff)
	}
	if now[0].ID == before || now[0].ID == now[1].ID || now[0].ID.Instance > 1 || now[1].ID.Instance > 1 {
		t.Errorf("IDs %v, then %v and %v", before.Instance, now[0].ID.Instance, now[1].ID.Instance)
	}
}
