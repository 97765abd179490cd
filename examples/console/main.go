// Console prints the load of the processors and of the network each second. It reads the values directly
// from the source's blocks: it finds the object and counter and applies the formula.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source"
)

// Title indices of objects and counters. They are the same on every Windows system and on Linux.
const (
	processor     = 238
	processorTime = 6
	network       = 510
	bytesTotal    = 388
)

func main() {
	url := flag.String("source", "local:", "the source of the blocks")
	count := flag.Int("n", 0, "number of lines to print; 0 means no end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	err := run(ctx, *url, *count, time.Second, os.Stdout)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "console:", err)
		os.Exit(1)
	}
}

// run prints a line at every interval, until count lines are printed, the source ends or ctx ends.
func run(ctx context.Context, url string, count int, interval time.Duration, out io.Writer) error {
	src, err := source.Open(ctx, url)
	if err != nil {
		return err
	}
	defer src.Close()

	query, err := src.Compile(ctx, winperf.Selection{
		Objects: []winperf.ObjectID{{Index: processor}, {Index: network}},
	})
	if err != nil {
		return err
	}
	defer query.Close()

	var older *perfdata.Block
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for printed := 0; count == 0 || printed < count; {
		newer, err := next(ctx, query)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		// Both counters are rates, which need a previous block.
		if older != nil {
			if err := show(out, older, newer); err != nil {
				return err
			}
			printed++
		}

		older = newer
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

func next(ctx context.Context, query winperf.Query) (*perfdata.Block, error) {
	var sample winperf.Sample
	if err := query.Next(ctx, &sample); err != nil {
		return nil, err
	}

	raw, err := sample.Raw()
	if err != nil {
		return nil, err
	}
	if raw.Format != winperf.FormatV1 {
		return nil, fmt.Errorf("the samples are not performance data blocks: %w", winperf.ErrNotSupported)
	}

	// Clone the bytes: the next sample may reuse their memory.
	return perfdata.Parse(bytes.Clone(raw.Bytes), raw.Quirks)
}

func show(out io.Writer, older, newer *perfdata.Block) error {
	line := winperf.FromFiletime(newer.Time100ns).Format(time.TimeOnly)

	for _, r := range rates(older, newer, processor, processorTime) {
		line += fmt.Sprintf("  %s %5.1f %%", r.instance, r.value)
	}

	// The network has no total: add up all interfaces. A machine may lack the object.
	sum := 0.0
	interfaces := rates(older, newer, network, bytesTotal)
	for _, r := range interfaces {
		sum += r.value
	}
	if len(interfaces) > 0 {
		line += fmt.Sprintf("  network %9.1f KB/s", sum/1000)
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

type rate struct {
	instance string
	value    float64
}

// rates computes a counter for all instances that are in both blocks. Instances without a value are
// omitted.
func rates(older, newer *perfdata.Block, object, title uint32) []rate {
	typ, before := samples(older, object, title)
	newType, after := samples(newer, object, title)
	if typ != newType {
		return nil
	}

	var all []rate
	for _, cur := range after {
		i := slices.IndexFunc(before, func(s named) bool { return s.name == cur.name })
		if i < 0 {
			continue
		}

		result := counter.Cook(typ, &before[i].Sample, &cur.Sample, counter.Options{Clamp: true})
		if value, ok := result.Value.Float64(); ok && result.Status == counter.OK {
			all = append(all, rate{cur.name, value})
		}
	}
	return all
}

type named struct {
	name string
	counter.Sample
}

// samples returns the raw values of a counter in a block, with the clocks of its formula.
func samples(b *perfdata.Block, object, title uint32) (typ counter.Type, all []named) {
	o := b.Object(object)
	if o == nil {
		return 0, nil
	}

	k := slices.IndexFunc(o.Counters, func(c perfdata.Counter) bool { return c.Title == title })
	if k < 0 {
		return 0, nil
	}

	clocks := counter.Clocks{
		PerfTime:   b.PerfTime,
		PerfFreq:   b.PerfFreq,
		Time100ns:  b.Time100ns,
		ObjectTime: o.Time,
		ObjectFreq: o.Freq,
	}

	for i := range o.Instances {
		value, ok := o.Value(i, k)
		if ok && !o.IsMissing(i, k) {
			all = append(all, named{o.InstanceName(i), counter.Sample{Value: value, Clocks: clocks}})
		}
	}
	return o.Counters[k].Type, all
}
