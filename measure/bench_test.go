package measure_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// ring serves blocks in turn, without end. Between the last and the first time
// goes back, which gives statuses instead of some values, and anomalies.
type ring struct {
	blocks []perftest.Sample
	schema winperf.Schema
	next   int
}

// ringLen is long enough that a test's cycles need not go round.
const ringLen = 16

func newRing(size perftest.Size, churn float64) *ring {
	return &ring{blocks: perftest.Series(size, ringLen, churn, 1)}
}

func newSmallRing() *ring { return newRing(perftest.Small, 0) }

func (r *ring) Describe() winperf.Description                   { return winperf.Description{Machine: "REFERENCE"} }
func (r *ring) Schema(context.Context) (*winperf.Schema, error) { return &r.schema, nil }
func (r *ring) Close() error                                    { return nil }

func (r *ring) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return ringQuery{r}, nil
}

type ringQuery struct{ *ring }

func (q ringQuery) Next(_ context.Context, s *winperf.Sample) error {
	b := s.Begin()
	s.Schema = &q.schema
	b.Format, b.Schema = winperf.FormatV1, s.Schema
	b.Bytes = append(b.Bytes, q.blocks[q.next%len(q.blocks)].Bytes...)
	q.next++
	return nil
}

// everything names every counter of every instance by one path for objects
// with instances and one for those without.
func everything(t testing.TB) winperf.Selection { return selection(t, `\*(*)\*`, `\*\*`) }

func TestCycleAllocatesNothing(t *testing.T) {
	tests := []struct {
		name string
		sel  winperf.Selection
	}{
		{"everything", everything(t)},
		{"one counter", selection(t, `\#230(_Total)\#6`)},
		{"objects", winperf.Selection{Objects: []winperf.ObjectID{{Index: 230}, {Index: 232}}}},
		{"global", winperf.Selection{Global: true}},
		{"nothing there", selection(t, `\#230(nobody)\#6`, `\#1\#2`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			c := measure.New(newRing(perftest.Desktop, 0), tt.sel, measure.Options{})
			run := func() {
				if _, err := c.Cycle(ctx); err != nil {
					t.Fatal(err)
				}
			}
			for range 5 { // grows what is reused
				run()
			}
			if n := testing.AllocsPerRun(ringLen-6, run); n != 0 {
				t.Errorf("%v allocations a cycle, want none", n)
			}
		})
	}
}

// TestChurnAllocates bounds the cost of new instances: at most four allocations and 600 bytes for
// each of their series, even where all readings are made, and nothing for other series.
func TestChurnAllocates(t *testing.T) {
	const samples, warm = 16, 6
	blocks := perftest.Series(perftest.Desktop, samples, 1, 1)
	ids := func(c *measure.Cycle) map[winperf.SeriesID]bool {
		now := map[winperf.SeriesID]bool{}
		for _, col := range c.Columns() {
			for n := range col.Len() {
				now[col.ID(n)] = true
			}
		}
		return now
	}
	came := uint64(0)
	c := measure.New(&ring{blocks: blocks}, everything(t), measure.Options{})
	before := ids(cycle(t, c))
	for n := 1; n < samples; n++ {
		now := ids(cycle(t, c))
		for id := range now {
			if n >= warm && !before[id] {
				came++
			}
		}
		before = now
	}
	came /= samples - warm

	for name, use := range map[string]func(*measure.Cycle){
		"columns":  func(*measure.Cycle) {},
		"readings": func(c *measure.Cycle) { c.Readings() },
	} {
		t.Run(name, func(t *testing.T) {
			c := measure.New(&ring{blocks: blocks}, everything(t), measure.Options{})
			for range warm - 1 {
				use(cycle(t, c))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range samples - warm + 1 {
				use(cycle(t, c))
			}
			runtime.ReadMemStats(&after)

			n := (after.Mallocs - before.Mallocs) / (samples - warm + 1)
			bytes := (after.TotalAlloc - before.TotalAlloc) / (samples - warm + 1)
			t.Logf("%d allocations of %d bytes, %d series came", n, bytes, came)
			if came == 0 || n > 4*came || bytes > 600*came {
				t.Errorf("%d allocations of %d bytes where %d series came", n, bytes, came)
			}
		})
	}
}

// BenchmarkCycle measures whole cycles, of which one or all counters of the
// desktop block are wanted, alone and with readings that are made of all values,
// while its processes stay and while 1 % of them are replaced from sample to
// sample. sample, decode and cook are the stages of all counters. See
// BenchmarkDecodeAndCook for the part of package frame.
func BenchmarkCycle(b *testing.B) {
	for _, stage := range []struct {
		name string
		time func(c *measure.Cost) time.Duration
	}{
		{"sample", func(c *measure.Cost) time.Duration { return c.Sample }},
		{"decode", func(c *measure.Cost) time.Duration { return c.Decode }},
		{"cook", func(c *measure.Cost) time.Duration { return c.Cook }},
	} {
		b.Run(stage.name, func(b *testing.B) {
			var sum time.Duration
			benchmarkCycle(b, 0, everything(b), func(c *measure.Cycle) { sum += stage.time(&c.Cost) })
			b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N), "ns/op")
		})
	}
	for _, v := range []struct {
		name string
		sel  winperf.Selection
		use  func(*measure.Cycle)
	}{
		{"one", selection(b, `\#230(_Total)\#6`), func(*measure.Cycle) {}},
		{"desktop", everything(b), func(*measure.Cycle) {}},
		{"readings", everything(b), func(c *measure.Cycle) { c.Readings() }},
	} {
		for _, churn := range []float64{0, 1} {
			b.Run(fmt.Sprintf("%s/churn=%v%%", v.name, churn), func(b *testing.B) {
				benchmarkCycle(b, churn, v.sel, v.use)
			})
		}
	}
}

func benchmarkCycle(b *testing.B, churn float64, sel winperf.Selection, done func(*measure.Cycle)) {
	src := newRing(perftest.Desktop, churn)
	c := measure.New(src, sel, measure.Options{})
	readings := 0
	cycle := func() *measure.Cycle {
		cy, err := c.Cycle(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		readings = cy.Parts[len(cy.Parts)-1]
		return cy
	}
	for range 5 {
		done(cycle())
	}
	b.ReportAllocs()
	for b.Loop() {
		if src.next%ringLen == 0 { // time goes back, which no source's does
			b.StopTimer()
			done(cycle())
			b.StartTimer()
		}
		done(cycle())
	}
	perReading(b, readings)
}

// BenchmarkLoop measures what the loop does with a sample, decoding, cooking and
// columns of all counters, side by side with the reference, a hand-written walk over
// the same block that reads every value: the ratio of their medians is the figure.
// Both come to a block that was just copied. Cycles in which the ring goes round do
// not change a median.
func BenchmarkLoop(b *testing.B) {
	for _, size := range []perftest.Size{perftest.Desktop, perftest.Huge} {
		for _, churn := range []float64{0, 1} {
			b.Run(fmt.Sprintf("%s/churn=%v%%", size, churn), func(b *testing.B) {
				src := &ring{blocks: perftest.Series(size, 8, churn, 1)}
				c := measure.New(src, everything(b), measure.Options{})
				var walks, cycles []time.Duration
				turn := func() {
					if err := c.Prepare(b.Context()); err != nil {
						b.Fatal(err)
					}
					if err := c.Sample(b.Context()); err != nil {
						b.Fatal(err)
					}
					begin := time.Now()
					walk(b, src.blocks[(src.next-1)%len(src.blocks)].Bytes)
					walked := time.Now()
					if _, err := c.Decode(); err != nil {
						b.Fatal(err)
					}
					walks, cycles = append(walks, walked.Sub(begin)), append(cycles, time.Since(walked))
				}
				for range 4 {
					turn()
				}
				walks, cycles = walks[:0], cycles[:0]
				b.ReportAllocs()
				for b.Loop() {
					turn()
				}
				walk, cycle := median(walks), median(cycles)
				b.ReportMetric(float64(cycle), "ns/cycle")
				b.ReportMetric(float64(cycle)/float64(walk), "walks/cycle")
			})
		}
	}
}

// BenchmarkReadings measures cycles of all counters whose readings are made, side by side with cycles of
// the same samples of which only the columns are: the ratio of their medians is the figure. Cycles in
// which the ring goes round do not change a median.
func BenchmarkReadings(b *testing.B) {
	for _, churn := range []float64{0, 1} {
		b.Run(fmt.Sprintf("churn=%v%%", churn), func(b *testing.B) {
			blocks := perftest.Series(perftest.Desktop, ringLen, churn, 1)
			timed := func(use func(*measure.Cycle)) func() time.Duration {
				c := measure.New(&ring{blocks: blocks}, everything(b), measure.Options{})
				return func() time.Duration {
					begin := time.Now()
					use(cycle(b, c))
					return time.Since(begin)
				}
			}
			asColumns := timed(func(c *measure.Cycle) { c.Columns() })
			asReadings := timed(func(c *measure.Cycle) { c.Readings() })

			var columns, readings []time.Duration
			for range 10 * ringLen { // until the heap has grown
				asColumns()
				asReadings()
			}
			b.ReportAllocs()
			for b.Loop() {
				columns, readings = append(columns, asColumns()), append(readings, asReadings())
			}
			b.ReportMetric(float64(median(readings))/float64(median(columns)), "readings/columns")
			b.ReportMetric(float64(median(columns)), "ns/columns")
		})
	}
}

func walk(b *testing.B, block []byte) {
	var walker perftest.Walker
	if _, _, err := walker.Walk(block); err != nil {
		b.Fatal(err)
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkDecodeAndCook is the reference for BenchmarkCycle: package frame
// alone decodes the same blocks and cooks the same counters; nothing is made
// of the values.
func BenchmarkDecodeAndCook(b *testing.B) {
	for _, cook := range []struct {
		name string
		is   func(o frame.Object, k int) bool
	}{
		{"one", func(o frame.Object, k int) bool { return o.ID().Index == 230 && o.Counter(k).ID.Index == 6 }},
		{"desktop", func(o frame.Object, k int) bool { return !o.Counter(k).Type.IsBase() }},
	} {
		b.Run(cook.name, func(b *testing.B) {
			q := ringQuery{newRing(perftest.Desktop, 0)}
			var pool frame.Pool
			var cooker frame.Cooker
			var prev frame.Frame
			readings := 0
			var samples [3]winperf.Sample // of the two frames that are valid, and the one that is taken
			cycle := func() {
				sample := &samples[q.next%len(samples)]
				if err := q.Next(b.Context(), sample); err != nil {
					b.Fatal(err)
				}
				cur, err := pool.Decode(sample, prev)
				if err == nil {
					err = cooker.Set(prev, cur, counter.Options{})
				}
				if err != nil {
					b.Fatal(err)
				}
				readings = 0
				for o := range cur.Objects() {
					for k := range o.NumCounters() {
						if cook.is(o, k) {
							readings += len(cooker.Object(o).Column(k).Bits)
						}
					}
				}
				prev = cur
			}
			for range 5 {
				cycle()
			}
			b.ReportAllocs()
			for b.Loop() {
				cycle()
			}
			perReading(b, readings)
		})
	}
}

func perReading(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/reading")
	b.ReportMetric(float64(n), "readings")
}

// BenchmarkPaths measures cycles of many paths that name one counter each, and
// how long it takes to find them in the first sample.
func BenchmarkPaths(b *testing.B) {
	var sel winperf.Selection
	src := newRing(perftest.Desktop, 0)
	whole := measure.New(src, winperf.Selection{Objects: []winperf.ObjectID{{Index: 230}}}, measure.Options{})
	cy, err := whole.Cycle(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range cy.Readings() {
		sel.Paths = append(sel.Paths, r.Path)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if _, err := measure.New(src, sel, measure.Options{}).Cycle(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		perReading(b, len(sel.Paths))
	})
	b.Run("warm", func(b *testing.B) {
		c := measure.New(src, sel, measure.Options{})
		for range 5 {
			if _, err := c.Cycle(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Cycle(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		perReading(b, len(sel.Paths))
	})
}
