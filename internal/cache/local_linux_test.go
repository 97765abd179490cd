package cache_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/cache"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// BenchmarkCacheLocal measures the processes of this machine with 1, 10 and 100
// contexts, one after the other once a second, with and without a cache.
func BenchmarkCacheLocal(b *testing.B) {
	path, err := winperf.ParsePath(`\Process(*)\% Processor Time`)
	if err != nil {
		b.Fatal(err)
	}
	for _, contexts := range []int{1, 10, 100} {
		for _, on := range []bool{true, false} {
			b.Run(fmt.Sprintf("%d/%s", contexts, map[bool]string{true: "on", false: "off"}[on]), func(b *testing.B) {
				src, err := source.Open(context.Background(), "local:")
				if err != nil {
					b.Fatal(err)
				}
				clock := &stepClock{Clock: schedule.SystemClock()} // every object is too old at each step
				if on {
					src = cache.New(src, cache.Options{Clock: clock})
				}
				defer src.Close()
				all := make([]*measure.Measurement, contexts)
				for i := range all {
					all[i] = measure.New(src, winperf.Selection{Paths: []winperf.Path{path}}, measure.Options{})
				}
				readings := 0
				for b.Loop() {
					clock.passed += time.Second
					for _, c := range all {
						cycle, err := c.Cycle(b.Context())
						if err != nil {
							b.Fatal(err)
						}
						readings = len(cycle.Readings())
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(contexts), "ns/cycle")
				b.ReportMetric(float64(readings), "readings")
			})
		}
	}
}

// The live host through a cache: two contexts, of which one is given what the
// other took.
func TestLocal(t *testing.T) {
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	c := cache.New(src, cache.Options{Freshness: time.Hour})
	defer c.Close()
	sel := winperf.Selection{Objects: []winperf.ObjectID{{Index: 2}, {Index: 238}}} // System and Processor
	var cycles [2]*measure.Cycle
	for i := range cycles {
		m := measure.New(c, sel, measure.Options{})
		defer m.Close()
		if cycles[i], err = m.Cycle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(cycles[0].Readings()) == 0 || len(cycles[0].Readings()) != len(cycles[1].Readings()) || cycles[0].Time != cycles[1].Time {
		t.Errorf("%d readings of %v, %d of %v", len(cycles[0].Readings()), cycles[0].Time, len(cycles[1].Readings()), cycles[1].Time)
	}
	for i, r := range cycles[0].Readings() {
		if other := cycles[1].Readings()[i]; other.Value != r.Value || other.Series.String() != r.Series.String() {
			t.Errorf("%v and %v of one sample", r, other)
		}
	}
	if st := c.Stats(); st.Queries != 1 || len(st.Objects) != 2 || st.Objects[0].Hits != 1 {
		t.Errorf("%+v", st)
	}
}

// What one measurement reads is not enough for another one that wants more of the same
// object: that takes a sample of its own, which then has what both want.
func TestLocalWantsMore(t *testing.T) {
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	c := cache.New(src, cache.Options{Freshness: time.Hour})
	defer c.Close()
	start := func(path string) *measure.Measurement {
		p, err := winperf.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		m := measure.New(c, winperf.Selection{Paths: []winperf.Path{p}}, measure.Options{})
		t.Cleanup(func() { _ = m.Close() })
		return m
	}
	read := func(m *measure.Measurement) winperf.Reading {
		cycle, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := cycle.Readings()[0]
		if n, _ := r.Value.Float64(); r.Status != counter.OK || n == 0 {
			t.Errorf("%v: %v %v", r.Series.String(), r.Status, n)
		}
		return r
	}

	a := start(`\System\Processes`)
	read(a)
	b := start(`\System\System Up Time`)
	first := read(b)
	if st := c.Stats(); st.Queries != 2 {
		t.Errorf("%d samples, want one for each", st.Queries)
	}
	if again := read(a); again.Time != first.Time {
		t.Errorf("a sample of %v, want that of the other one, %v", again.Time, first.Time)
	}
	if st := c.Stats(); st.Queries != 2 {
		t.Errorf("%d samples, want none but the two", st.Queries)
	}
}
