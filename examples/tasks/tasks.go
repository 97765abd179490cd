// Package tasks is the code of README.md: five tasks in a few lines each.
package tasks

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/source"
)

// Get reads one counter of this machine.
func Get(ctx context.Context, out io.Writer) error {
	src, err := source.Open(ctx, "local:")
	if err != nil {
		return err
	}
	defer src.Close()
	readings, err := measure.Get(ctx, src, `\System\Processes`)
	fmt.Fprintln(out, readings, err)
	return err
}

// Watch shows counters at an interval.
func Watch(ctx context.Context, src winperf.Source, opt measure.Options, out io.Writer) error {
	sel, err := winperf.Select(`\Processor(*)\% Processor Time`, `\Memory\Available MBytes`)
	if err != nil {
		return err
	}
	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil {
			return err
		}
		for _, r := range cycle.Readings() {
			fmt.Fprintln(out, r.Time.Format(time.TimeOnly), r)
		}
	}
	return nil
}

// Log shows the processes in a log that used the processor for most of a second.
func Log(ctx context.Context, file string, out io.Writer) error {
	src, err := source.Open(ctx, file)
	if err != nil {
		return err
	}
	defer src.Close()

	sel, err := winperf.Select(`\Process(*)\% Processor Time`)
	if err != nil {
		return err
	}

	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{}) {
		if err != nil {
			return err
		}
		for _, r := range cycle.Readings() {
			if busy, ok := r.Value.Float64(); ok && busy > 50 {
				fmt.Fprintln(out, r.Time.Format(time.DateTime), r)
			}
		}
	}
	return nil
}

// Publish publishes a counter for all programs that read counters.
func Publish() (*publish.Counter, error) {
	orders, err := publish.NewCounter("Shop", "Orders/sec", counter.BulkCount)
	if err != nil {
		return nil, err
	}
	orders.Add(1)
	return orders, nil
}

// Experiment measures this program between two points of its code.
func Experiment(ctx context.Context, src winperf.Source, work func(context.Context), out io.Writer) error {
	sel, err := winperf.Select(`\System\Context Switches/sec`)
	if err != nil {
		return err
	}
	e, err := experiment.New(experiment.Options{
		Sources:  []sensor.Origin{{Source: src}},
		Bindings: []experiment.Binding{{Events: []string{"order"}, Paths: sel.Paths}},
	})
	if err != nil {
		return err
	}
	if err = e.Attach(ctx); err != nil {
		return err
	}

	inside, region := experiment.Region(ctx, "order")
	work(inside)
	region.End()
	if err = e.Detach(ctx); err != nil {
		return err
	}

	records, err := e.Next(ctx, 100)
	for _, r := range records {
		for _, v := range r.Values {
			fmt.Fprintln(out, r.Event.Name, v.Path, "grew by", v.Difference)
		}
	}
	return err
}
