package replay_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source/internal/replay"
)

// openVista opens six samples of one object, a minute apart, that a machine
// with Windows Vista gave. They are no part of the project.
func openVista(t *testing.T, object string) winperf.Source {
	t.Helper()
	data := perftest.Data(t)
	files, err := filepath.Glob(filepath.Join(data, "perfdata", "vista_sample*_"+object+".bin"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("skipped: no samples of %s in %s", object, data)
	}
	src, err := replay.OpenFiles(files, []string{filepath.Join(data, "names", "vista_en_ZACH-PC_Counter009.multisz.bin")})
	if err != nil {
		t.Fatal(err)
	}
	if n := src.Describe().Samples; n != 6 || src.Describe().Machine != "ZACH-PC" {
		t.Fatalf("%d samples of the machine %q", n, src.Describe().Machine)
	}
	return src
}

// watch calls f with each cycle and the frame before; the first has none.
func watch(t *testing.T, src winperf.Source, path string, f func(cy *measure.Cycle, older frame.Frame)) {
	t.Helper()
	p, err := winperf.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	var older frame.Frame
	sel := winperf.Selection{Paths: []winperf.Path{p}}
	n := 0
	for cy, err := range measure.Watch(t.Context(), src, sel, measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(cy.Damage) > 0 {
			t.Errorf("damage: %v", cy.Damage)
		}
		f(cy, older)
		older = cy.Frame
		n++
	}
	if n != 6 {
		t.Errorf("%d cycles, want 6", n)
	}
}

// raw is a raw value of the frame's only object.
func raw(t *testing.T, f frame.Frame, title uint32, instance int) uint64 {
	t.Helper()
	k, ok := f.Object(0).FindCounter(winperf.CounterID{Index: title})
	if !ok {
		t.Fatalf("no counter %d", title)
	}
	v, ok := f.Object(0).Raw(instance, k)
	if !ok {
		t.Fatalf("no value of counter %d", title)
	}
	return v
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// The share of time that was not idle, from idle time and clock by hand.
func TestVistaProcessor(t *testing.T) {
	watch(t, openVista(t, "Processor_238"), `\\zach-pc\Processor(_Total)\% Processor Time`, func(cy *measure.Cycle, older frame.Frame) {
		r := cy.Readings()[0]
		if r.Series.String() != `\\ZACH-PC\Processor(_Total)\% Processor Time` || r.Type != counter.TimerInv100NSec || len(cy.Readings()) != 1 {
			t.Fatalf("%d readings, the first %s of type %v", len(cy.Readings()), r, r.Type)
		}
		if older.IsZero() {
			if r.Status != counter.NoPrevious {
				t.Errorf("first sample: %v", r.Status)
			}
			return
		}
		const title, total = 6, 1 // the second instance
		idle := raw(t, cy.Frame, title, total) - raw(t, older, title, total)
		clock := cy.Frame.Clocks().Time100ns - older.Clocks().Time100ns
		want := 100 * (1 - float64(idle)/float64(clock))
		if v, _ := r.Value.Float64(); r.Status != counter.OK || !near(v, want) || v < 0 || v > 100 {
			t.Errorf("%v: %v (%v), want %v", cy.Time, r.Value, r.Status, want)
		}
	})
}

// Seconds per transfer, by hand: ticks by transfers and ticks per second, 0
// where there was no transfer.
func TestVistaAverage(t *testing.T) {
	averages := 0
	watch(t, openVista(t, "PhysicalDisk_234"), `\PhysicalDisk(_Total)\Avg. Disk sec/Transfer`, func(cy *measure.Cycle, older frame.Frame) {
		r := cy.Readings()[0]
		if r.Type != counter.AverageTimer || r.Unit != counter.Seconds {
			t.Fatalf("%s of type %v in %v", r, r.Type, r.Unit)
		}
		if older.IsZero() {
			return
		}
		total := cy.Frame.Object(0).Len() - 1
		const title, transfers = 206, 212 // Disk Transfers/sec counts what the base counts
		ticks := uint32(raw(t, cy.Frame, title, total)) - uint32(raw(t, older, title, total))
		events := uint32(raw(t, cy.Frame, transfers, total)) - uint32(raw(t, older, transfers, total))
		want := 0.0
		if events > 0 {
			want = float64(ticks) / float64(cy.Frame.Clocks().PerfFreq) / float64(events)
			averages++
		}
		if v, _ := r.Value.Float64(); r.Status != counter.OK || !near(v, want) {
			t.Errorf("%v: %v (%v), want %v", cy.Time, r.Value, r.Status, want)
		}
	})
	if averages == 0 {
		t.Error("no interval had a transfer: nothing was tested")
	}
}

func TestVistaNames(t *testing.T) {
	watch(t, openVista(t, "Process_230"), `\Process(svchost*)\ID Process`, func(cy *measure.Cycle, older frame.Frame) {
		if !older.IsZero() {
			return
		}
		if n := len(cy.Readings()); n != 13 {
			t.Errorf("%d instances of svchost, want 13", n)
		}
		if last := cy.Readings()[len(cy.Readings())-1]; last.Path.InstanceText() != "svchost#12" {
			t.Errorf("the last one is %s", last)
		}
	})
}

// A process has a value where the sample before has the same id and start time. One that began
// after that sample counts from zero.
func TestVistaIdentity(t *testing.T) {
	type identity struct{ pid, start uint64 }
	var born []string
	watch(t, openVista(t, "Process_230"), `\Process(*)\% Processor Time`, func(cy *measure.Cycle, older frame.Frame) {
		if older.IsZero() {
			return
		}
		now, was := cy.Frame.Object(0), older.Object(0)
		if len(cy.Readings()) != now.Len() {
			t.Fatalf("%d readings of %d processes", len(cy.Readings()), now.Len())
		}
		at := map[identity]int{}
		for i := range was.Len() {
			at[identity{raw(t, older, 784, i), raw(t, older, 684, i)}] = i
		}
		clock := cy.Frame.Clocks().Time100ns - older.Clocks().Time100ns
		for i, r := range cy.Readings() {
			id := identity{raw(t, cy.Frame, 784, i), raw(t, cy.Frame, 684, i)}
			j, lives := at[id]
			switch {
			case r.Path.Instance == "_Total": // its time may fall when processes end
			case !lives:
				start := winperf.FromFiletime(int64(id.start))
				if !start.After(older.Time()) || start.After(cy.Frame.Time()) {
					t.Errorf("%s began at %v, not between the samples", r, start)
				}
				want := 100 * float64(raw(t, cy.Frame, 6, i)) / float64(clock)
				if v, _ := r.Value.Float64(); r.Status != counter.OK || !near(v, want) {
					t.Errorf("%s: %v (%v), want %v from zero", r, r.Value, r.Status, want)
				}
				born = append(born, r.Path.Instance)
			default:
				want := 100 * float64(raw(t, cy.Frame, 6, i)-raw(t, older, 6, j)) / float64(clock)
				if v, _ := r.Value.Float64(); r.Status != counter.OK || !near(v, want) {
					t.Errorf("%s: %v (%v), want %v", r, r.Value, r.Status, want)
				}
			}
		}
	})
	want := []string{"PowerStarter", "PowerDVD", "Solitaire", "SearchProtocolHost", "SearchFilterHost"}
	slices.Sort(want)
	slices.Sort(born)
	if !slices.Equal(born, want) {
		t.Errorf("new processes %q, want %q", born, want)
	}
}

// A rundll32 that began at another time is another one, though its name, place
// and process id are the same.
func TestVistaReplaced(t *testing.T) {
	var b [][]byte
	var started uint64
	watch(t, openVista(t, "Process_230"), `\Process(rundll32)\ID Process`, func(cy *measure.Cycle, older frame.Frame) {
		b = append(b, bytes.Clone(cy.Frame.Object(0).Block().Bytes))
		for in := range cy.Frame.Object(0).Instances() {
			if in.Name() == "rundll32" {
				started = raw(t, cy.Frame, 684, in.Position())
			}
		}
	})
	old := binary.LittleEndian.AppendUint64(nil, started)
	if n := bytes.Count(b[1], old); n != 1 {
		t.Fatalf("the start time stands %d times in the block", n)
	}
	b[1] = bytes.Replace(b[1], old, binary.LittleEndian.AppendUint64(nil, started+1e7), 1)
	write(t, map[string][]byte{"0.bin": b[0], "1.bin": b[1], "2.bin": b[2]})
	src, err := replay.OpenPerfdata("0.bin,1.bin,2.bin")
	if err != nil {
		t.Fatal(err)
	}
	p := winperf.Path{Object: "#230", Instance: "rundll32", HasInstance: true, Counter: "#6"}
	c := measure.New(src, winperf.Selection{Paths: []winperf.Path{p}}, measure.Options{})
	defer c.Close()
	for i := range 3 {
		cy, err := c.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r := cy.Readings()[0]; r.Status != counter.NoPrevious {
			t.Errorf("sample %d: %s is %v (%v), want no_previous", i, r, r.Value, r.Status)
		}
	}
}
