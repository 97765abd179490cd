package measure_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
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

// TestLiveMemory bounds what very many instances take beyond the two blocks of a
// rate, with all that the buffers have to spare, while their readings are asked for
// one by one: their names, the indexes of two frames and the values.
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
	live := liveBytes() - before - 2*block
	runtime.KeepAlive(c)
	runtime.KeepAlive(r)

	t.Logf("%d bytes an instance beside two blocks of %d", live/instances, block/instances)
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
