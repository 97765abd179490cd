package measure_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// An object that is elsewhere in the sample than before keeps its series, and one
// whose counters change at the same time has its values under their own names.
func TestObjectMoves(t *testing.T) {
	some := []instance{{name: "C:", raw: []uint64{1, 2, 3}}}
	sys := object{Object: system, instances: []instance{{raw: []uint64{7, 8}}}}
	disks := object{Object: disk, instances: some}
	procs := object{Object: processor, instances: []instance{{name: "0", raw: []uint64{5, 6}}}}
	fewer := procs
	fewer.keep = func(i int) bool { return i == 1 }

	sel := winperf.Selection{Objects: []winperf.ObjectID{{Index: processor.Index}}}
	m := measure.New(script(
		sample{at: 0, objects: []object{sys, procs}},
		sample{at: 1, objects: []object{sys, disks, fewer}},
		sample{at: 2, objects: []object{sys, fewer}},
		sample{at: 3, objects: []object{sys, disks, fewer}},
	), sel, measure.Options{})
	defer m.Close()
	var got []string
	for range 4 {
		c := cycle(t, m)
		var told []string
		for _, a := range c.Anomalies {
			told = append(told, a.Detail)
		}
		got = append(got, fmt.Sprint(lines(c.Readings()), told))
	}
	const busy, interrupts = `\\HOST\Processor(0)\% Processor Time`, `\\HOST\Processor(0)\Interrupts/sec`
	want := []string{
		"[" + busy + " no_previous " + interrupts + " no_previous] []",
		"[" + interrupts + " 0] [the object's counters changed]",
		"[" + interrupts + " 0] []",
		"[" + interrupts + " 0] []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cycles (-want +got):\n%s", diff)
	}
}

// movingApart is a source whose costly objects are elsewhere from the fifth sample on,
// when they have nothing new.
func movingApart() *split {
	src := apartSource()
	inner := src.script
	src.script = func(n int) sample {
		s := inner(n)
		if n >= 4 {
			disks := []instance{{name: "C:", raw: []uint64{1, 2, 3}}}
			s.objects = append(s.objects, object{Object: disk, instances: disks})
		}
		return s
	}
	src.costly.script = func(n int) sample {
		threads := []instance{
			{name: "0", parent: 1, raw: []uint64{500}}, {name: "1", parent: 1, raw: []uint64{900}},
		}
		if n > 0 { // the first one ended, another one came, and a counter fell
			threads = threads[1:]
			threads[0].raw = []uint64{100}
			threads = append(threads, instance{name: "2", parent: 1, raw: []uint64{5}})
		}
		return sample{at: int64(n), objects: []object{
			{Object: process, instances: []instance{proc("a", 4, 9, 0)}}, {Object: thread, instances: threads},
		}}
	}
	return src
}

// What is sampled independently goes on when it is elsewhere, though nothing of
// it is new: its instances neither came nor went, and no counter fell once more.
func TestCostlyApartMoves(t *testing.T) {
	src := movingApart()
	sel := selection(t, switches, threadSwitches, `\LogicalDisk(*)\Free Megabytes`)
	var ids []winperf.SeriesID
	synctest.Test(t, func(t *testing.T) {
		m := measure.New(src, sel, measure.Options{Interval: time.Second, CostlyInterval: time.Second})
		var told []int
		for n := range 5 {
			c := cycle(t, m)
			threads := 0
			for _, a := range c.Anomalies {
				if a.Object.Index == thread.Index {
					threads++
				}
			}
			told = append(told, threads)
			for _, r := range c.Readings() {
				if n >= 3 && r.Series.ObjectID.Index == thread.Index {
					ids = append(ids, r.Series.ID)
				}
			}
			time.Sleep(600 * ms)
			synctest.Wait()
		}
		if n := len(ids); n != 4 || ids[0] != ids[2] || ids[1] != ids[3] {
			t.Errorf("series %v", ids)
		}
		if diff := cmp.Diff([]int{0, 0, 0, 3, 0}, told); diff != "" {
			t.Errorf("anomalies (-want +got):\n%s", diff)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What was sampled independently has the same values when the samples were recorded
// and are read again.
func TestCostlyApartRecorded(t *testing.T) {
	var b bytes.Buffer
	w := capture.NewWriter(&b, capture.Options{GroupSamples: 3})
	var want, got []string
	sel := selection(t, switches, threadSwitches, `\LogicalDisk(*)\Free Megabytes`)
	opt := measure.Options{Interval: time.Second, CostlyInterval: time.Second}
	rounds(t, movingApart(), sel, opt, 8, 600*ms, func(_ time.Duration, c *measure.Cycle) {
		want = append(want, fmt.Sprint(lines(c.Readings())))
		if err := w.Write(c.Sample); err != nil {
			t.Fatal(err)
		}
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	src := openLog(t, "x.capture", b.Bytes())
	for c, err := range measure.Watch(t.Context(), src, sel, measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(lines(c.Readings())))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-live +recorded):\n%s", diff)
	}
}

// openLog opens a log with a name and content.
func openLog(t *testing.T, base string, content []byte) winperf.Source {
	t.Helper()
	name := filepath.Join(t.TempDir(), base)
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := source.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

// The first sample of a record that has no other is yielded whole.
func TestOnlySampleIsWhole(t *testing.T) {
	only := func() recording { return recording{script(count(0)), 1} }
	for c, err := range measure.Watch(t.Context(), only(), selection(t, switches), measure.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := c.Sample.Raw(); err != nil || len(raw.Bytes) == 0 {
			t.Errorf("sample of %d parts: %v", len(c.Sample.Parts), err)
		}
	}
	j := join(t, measure.Options{}, selection(t, switches), sensor.Origin{Name: "a", Source: only()})
	if raw, err := round(t, j)[0].Cycle.Sample.Raw(); err != nil || len(raw.Bytes) == 0 {
		t.Errorf("joint: %v", err)
	}
}
