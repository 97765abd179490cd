// Export writes the load of this machine to a csv file, and as JSON lines to standard output.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
	"github.com/winperf/winperf/source"
)

func main() {
	file := flag.String("csv", "load.csv", "the file to write")
	count := flag.Int("n", 0, "number of samples; 0 means no end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	err := create(ctx, *file, measure.Options{Count: *count})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "export:", err)
		os.Exit(1)
	}
}

func create(ctx context.Context, name string, opt measure.Options) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(run(ctx, opt, file, os.Stdout), file.Close())
}

// run writes each reading to both outputs.
func run(ctx context.Context, opt measure.Options, csv, jsonl io.Writer) error {
	src, err := source.Open(ctx, "local:")
	if err != nil {
		return err
	}
	defer src.Close()

	// With File, csv has the format of Windows' logs, which relog can read.
	log, err := sink.New("csv", csv, sink.Options{File: true, Location: time.UTC})
	if err != nil {
		return err
	}
	lines, err := sink.New("jsonl", jsonl, sink.Options{})
	if err != nil {
		return err
	}

	sel := winperf.Selection{Paths: []winperf.Path{
		{Object: "Processor", Instance: "_Total", HasInstance: true, Counter: "% Processor Time"},
		{Object: "Memory", Counter: "Available Bytes"},
	}}
	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil {
			return errors.Join(err, log.Close(), lines.Close())
		}
		err := errors.Join(log.Write(cycle.Time, cycle.Columns()), lines.Write(cycle.Time, cycle.Columns()))
		if err != nil {
			return err
		}
	}
	return errors.Join(log.Close(), lines.Close())
}
