package cache_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/cache"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
)

// machine is a source with the object System, sampled at a time that the example
// sets.
type machine struct {
	now     time.Time
	queries int
}

func (m *machine) Describe() winperf.Description { return winperf.Description{Machine: "HOST"} }
func (m *machine) Schema(context.Context) (*winperf.Schema, error) {
	return &winperf.Schema{}, nil
}
func (m *machine) Close() error { return nil }
func (m *machine) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &machineQuery{m, sel.Metadata}, nil
}

// stepClock is a clock on which time passes only when it is told to.
type stepClock struct {
	measure.Clock
	passed time.Duration
}

func (c *stepClock) Elapsed() time.Duration { return c.passed }

type machineQuery struct {
	*machine
	metadata bool
}

func (q *machineQuery) Next(_ context.Context, s *winperf.Sample) error {
	if !q.metadata {
		q.queries++
	}
	ticks := winperf.ToFiletime(q.now)
	o := perfdata.Object{Title: 2, Form: perfdata.Single, Counters: []perfdata.Counter{perfdata.NewCounter(248, counter.RawCount)}}
	o.Layout(false)
	if _, err := o.AddInstance(""); err != nil {
		return err
	}
	if err := o.SetValue(0, 0, uint64(q.now.Second())); err != nil {
		return err
	}
	b := perfdata.Block{PerfTime: ticks, PerfFreq: 10_000_000, Time100ns: ticks, Objects: []perfdata.Object{o}}
	if err := b.SetMachine("HOST"); err != nil {
		return err
	}
	bytes, err := b.AppendTo(nil)
	if err == nil {
		*s = *winperf.Raw{Format: winperf.FormatV1, Bytes: bytes}.Sample()
	}
	return err
}

// Two measurements of one machine, 200 ms apart: the second is given the sample
// of the first, with the time it was taken at, and asks for the next one itself.
func Example() {
	host := &machine{now: time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)}
	clock := &stepClock{Clock: schedule.SystemClock()}
	src := cache.New(host, cache.Options{Clock: clock})
	defer src.Close()

	sel := winperf.Selection{Objects: []winperf.ObjectID{{Index: 2}}}
	first, second := measure.New(src, sel, measure.Options{}), measure.New(src, sel, measure.Options{})
	defer first.Close()
	defer second.Close()
	measureAt := func(who string, c *measure.Measurement, after time.Duration) {
		host.now, clock.passed = host.now.Add(after), clock.passed+after
		cycle, err := c.Cycle(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		r := cycle.Readings()[0]
		fmt.Printf("%s %v of %s\n", who, r, r.Time.Format("05.0"))
	}
	measureAt("first ", first, 0)
	measureAt("second", second, 200*time.Millisecond)
	measureAt("second", second, 800*time.Millisecond)
	measureAt("first ", first, 100*time.Millisecond)
	fmt.Println(host.queries, "queries,", src.Stats().Objects[0].Hits, "hits")
	// Output:
	// first  \\HOST\#2\#248: 0 count of 00.0
	// second \\HOST\#2\#248: 0 count of 00.0
	// second \\HOST\#2\#248: 1 count of 01.0
	// first  \\HOST\#2\#248: 1 count of 01.0
	// 2 queries, 2 hits
}
