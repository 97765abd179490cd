package measure_test

import (
	"fmt"
	"runtime"
	"testing"

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

// TestLiveMemory bounds the memory of very many instances in addition to the three blocks of two
// valid samples and one that is being taken, with all that the buffers have to spare, while their
// readings are asked for one by one: their names, three indexes and the values.
func TestLiveMemory(t *testing.T) {
	const (
		instances = 100_000
		most      = 120 // bytes an instance
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
		for i := range instances {
			got := cy.At(i)
			if got.Path.Instance != fmt.Sprintf("%06d", i) {
				t.Fatalf("reading %d is of %s", i, got)
			}
			if v, ok := got.Value.Float64(); r.next > 1 && (!ok || v != float64(i)) {
				t.Fatalf("%s is %v, %v", got, got.Value, got.Status)
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

// TestAt compares the readings made one by one with all of them, in any order.
func TestAt(t *testing.T) {
	c := measure.New(newRing(perftest.Desktop, 0), selection(t, `\*\*`, `\#230(*)\*`, `\nothing\there`, `\winperf\*`), measure.Options{})
	for range 2 {
		cy := cycle(t, c)
		one := func(i int) string {
			r := cy.At(i)
			return fmt.Sprint(r, r.Time, r.Value, r.Status, r.Anomalies)
		}
		var up, down []string
		for i := range cy.Len() {
			up = append(up, one(i))
			down = append(down, one(cy.Len()-1-i))
		}
		all := cy.Readings()
		if len(all) != cy.Len() || len(all) < 100 {
			t.Fatalf("%d readings, %d of them one by one", len(all), cy.Len())
		}
		for i, r := range all {
			want := fmt.Sprint(&r, r.Time, r.Value, r.Status, r.Anomalies)
			if up[i] != want || down[len(all)-1-i] != want || one(i) != want {
				t.Fatalf("reading %d is %s, %s, %s; want %s", i, up[i], down[len(all)-1-i], one(i), want)
			}
		}
	}
}
