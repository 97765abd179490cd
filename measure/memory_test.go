package measure_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// liveBytes is how much memory is in use when all that is not needed is given back.
func liveBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestLiveMemory bounds the memory of very many instances in addition to the three blocks of two
// valid samples and one that is being taken, with all that the buffers have to spare, while their
// readings are asked for one by one: their names, three indexes and the values.
func TestLiveMemory(t *testing.T) {
	const (
		instances = 100_000
		most      = 110 // bytes an instance
	)
	many := &provider.Object{Index: 1000, Name: "Many", Multi: true, Counters: []provider.Counter{
		{Index: 1002, Name: "N/sec", Type: counter.BulkCount},
	}}
	of := func(second int64) perftest.Sample {
		s := sample{at: second, objects: []object{{Object: many}}}
		for i := range instances {
			s.objects[0].instances = append(s.objects[0].instances, instance{
				name: fmt.Sprintf("%06d", i), raw: []uint64{uint64(int64(i) * second)},
			})
		}
		return perftest.Sample{Bytes: s.block()}
	}
	r := &ring{blocks: []perftest.Sample{of(1), of(2), of(3)}}
	r.schema.Names = append(r.schema.Names, names(nametable.English, map[uint32]string{1000: "Many", 1002: "N/sec"}))
	block := int64(len(r.blocks[0].Bytes))

	before := liveBytes()
	c := measure.New(r, selection(t, `\Many(*)\N/sec`), measure.Options{})
	for range r.blocks {
		cy := cycle(t, c)
		if cy.Len() != instances {
			t.Fatalf("%d readings", cy.Len())
		}
		col, got := &cy.Columns()[0], &winperf.Series{}
		for i := range instances {
			col.Describe(got, i)
			if got.Path.Instance != fmt.Sprintf("%06d", i) {
				t.Fatalf("reading %d is of %s", i, got)
			}
			if v, ok := col.Value(i).Float64(); r.next > 1 && (!ok || v != float64(i)) {
				t.Fatalf("%s is %v, %v", got, v, col.Status[i])
			}
		}
	}
	live := liveBytes() - before - 3*block
	runtime.KeepAlive(c)
	runtime.KeepAlive(r)

	t.Logf("%d bytes an instance in addition to three blocks of %d", live/instances, block/instances)
	if live > most*instances {
		t.Errorf("%d bytes an instance, want no more than %d", live/instances, most)
	}
}

// TestDescribe compares series that are made one by one with those that are kept, in whole columns and
// in their parts.
func TestDescribe(t *testing.T) {
	c := measure.New(newRing(perftest.Desktop, 0), selection(t, `\*\*`, `\#230(*)\*`, `\nothing\there`, `\winperf\*`), measure.Options{})
	for range 2 {
		columns, values := cycle(t, c).Columns(), 0
		for i := range columns {
			whole, first := &columns[i], columns[i].Len()/2
			part, made := whole.Slice(first, whole.Len()), winperf.Series{}
			for n := range part.Len() {
				part.Describe(&made, n)
				want := whole.Series(first + n)
				if made.String() != want.String() || made.Key != want.Key || made.Parent != want.Parent || part.ID(n) != want.ID ||
					part.Value(n) != whole.Value(first+n) || part.AllSeries()[n] != want {
					t.Fatalf("value %d is %v of %v, want %v of %v", first+n, part.Value(n), &made, whole.Value(first+n), want)
				}
				values++
			}
		}
		if values < 100 {
			t.Fatalf("%d values", values)
		}
	}
}

// TestKeep compares kept cycles, with their samples, frames and values, with what they were when they
// were decoded, after more cycles than memory is used again for. Instances appear and end meanwhile.
func TestKeep(t *testing.T) {
	show := func(cy *measure.Cycle) string {
		var text strings.Builder
		fmt.Fprintln(&text, cy.Time, cy.Sample.Parts[0].Block.Number(), len(cy.Sample.Parts))
		for _, col := range cy.Columns() {
			for n := range col.Bits {
				var s winperf.Series
				col.Describe(&s, n)
				fmt.Fprintln(&text, s.Path, col.Series(n).Path, col.ID(n), col.Value(n), col.Status[n], col.Anomalies(n))
			}
		}
		for o := range cy.Frame.Objects() {
			for i := range o.Len() {
				raw, _ := o.Raw(i, 0)
				fmt.Fprintln(&text, o.Instance(i).Name(), raw)
			}
		}
		return text.String()
	}

	c := measure.New(newRing(perftest.Desktop, 5), everything(t), measure.Options{})
	defer c.Close()
	var kept []*measure.Cycle
	var want []string
	for range 8 {
		cy := cycle(t, c)
		if err := cy.Keep(); err != nil {
			t.Fatal(err)
		}
		kept, want = append(kept, cy), append(want, show(cy))
	}
	last := kept[len(kept)-1].Frame
	for range 4 {
		cycle(t, c)
	}

	for n, cy := range kept {
		if got := show(cy); got != want[n] {
			t.Errorf("cycle %d changed after it was kept:\n%s", n, cmp.Diff(strings.Split(want[n], "\n"), strings.Split(got, "\n"))[:500])
		}
		if err := cy.Keep(); err != nil {
			t.Errorf("cycle %d is not valid: %v", n, err)
		}
	}
	if err := last.Keep(); err != nil {
		t.Error(err)
	}
}

// TestDescribedStay shows that series which a column described stay as they are when the cycle is not
// valid any more. Instances appear and end meanwhile.
func TestDescribedStay(t *testing.T) {
	c := measure.New(newRing(perftest.Desktop, 5), everything(t), measure.Options{})
	defer c.Close()
	var described []winperf.Series
	var want []string
	for n := range 8 {
		columns := cycle(t, c).Columns()
		for i := 0; n < 3 && i < len(columns); i += 10 {
			var s winperf.Series
			columns[i].Describe(&s, columns[i].Len()-1)
			described, want = append(described, s), append(want, strings.Clone(s.Path.String()))
		}
	}

	for i := range described {
		if got := described[i].Path.String(); got != want[i] || described[i].Clone().String() != want[i] {
			t.Errorf("%s is %s now", want[i], got)
		}
	}
	if len(described) < 10 {
		t.Errorf("%d series", len(described))
	}
}

// TestStale shows that a cycle's frame is valid while one more is decoded, and refused after that.
func TestStale(t *testing.T) {
	c := measure.New(newRing(perftest.Small, 0), everything(t), measure.Options{})
	defer c.Close()
	oldest := *cycle(t, c)
	first := oldest.Frame
	var cooker frame.Cooker
	if err := cooker.Set(first, cycle(t, c).Frame, counter.Options{}); err != nil {
		t.Error(err)
	}
	newest := cycle(t, c).Frame
	if err := oldest.Keep(); !errors.Is(err, winperf.ErrState) {
		t.Errorf("a cycle whose frame is of three cycles ago was kept: %v", err)
	}
	if err := first.Keep(); !errors.Is(err, winperf.ErrState) {
		t.Errorf("a frame of three cycles ago was kept: %v", err)
	}
	if err := cooker.Set(first, newest, counter.Options{}); !errors.Is(err, winperf.ErrState) {
		t.Errorf("a frame of three cycles ago was cooked: %v", err)
	}
}

// TestSampleAllocatesNothing: the Sample step takes no memory.
func TestSampleAllocatesNothing(t *testing.T) {
	c := measure.New(newRing(perftest.Desktop, 0), everything(t), measure.Options{})
	defer c.Close()
	for range 5 {
		cycle(t, c)
	}
	allocs := uint64(0)
	for range ringLen - 6 {
		if err := c.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.Sample(t.Context())
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		allocs += after.Mallocs - before.Mallocs
		if _, err := c.Decode(); err != nil {
			t.Fatal(err)
		}
	}
	if allocs != 0 {
		t.Errorf("%d allocations in %d samples, want none", allocs, ringLen-6)
	}
}
