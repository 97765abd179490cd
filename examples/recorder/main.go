// Recorder writes raw samples of this machine to a capture, then computes readings from the capture.
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
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// load is the recorded selection.
var load = winperf.Selection{Paths: []winperf.Path{
	{Object: "Processor", Instance: "*", HasInstance: true, Counter: "% Processor Time"},
}}

func main() {
	file := flag.String("capture", "load.wpc", "the file to write, then to read")
	count := flag.Int("n", 4, "number of samples")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *file, *count, time.Second, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name string, count int, interval time.Duration, out io.Writer) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	err = record(ctx, file, count, interval, out)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return replay(ctx, name, out)
}

// record writes the system's samples without decoding them.
func record(ctx context.Context, file io.Writer, count int, interval time.Duration, out io.Writer) error {
	src, err := source.Open(ctx, "local:")
	if err != nil {
		return err
	}
	defer src.Close()

	query, err := src.Compile(ctx, load)
	if err != nil {
		return err
	}
	defer query.Close()

	var sample winperf.Sample
	w := capture.NewWriter(file, capture.Options{})
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for range count {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := query.Next(ctx, &sample); err != nil {
			return err
		}
		if err := w.Write(&sample); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "recorded %d samples\n", w.Samples())
	return w.Close()
}

// replay computes readings. The first sample has none: a rate needs two.
func replay(ctx context.Context, name string, out io.Writer) error {
	src, err := source.Open(ctx, name)
	if err != nil {
		return err
	}
	defer src.Close()

	for cycle, err := range measure.Watch(ctx, src, load, measure.Options{}) {
		if err != nil {
			return err
		}
		for _, r := range cycle.Readings() {
			fmt.Fprintf(out, "%s  %s  %v %v\n", r.Time.Format(time.TimeOnly), r.Path, r.Value, r.Status)
		}
	}
	return nil
}
