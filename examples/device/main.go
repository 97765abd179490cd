// Device measures a device with its own source: a winperf.Source and a winperf.Query, which make
// performance data blocks of the device's registers. Names, rates, statuses and the schedule work as for
// any other source.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, simulated, time.Now, measure.Options{}, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "device:", err)
		os.Exit(1)
	}
}

// run prints the counters of all pumps until ctx ends or as the options say.
func run(
	ctx context.Context, read func(context.Context) ([]pump, error), now func() time.Time,
	opt measure.Options, out io.Writer,
) error {
	src, err := newStation("STATION", read, now)
	if err != nil {
		return err
	}
	defer src.Close()

	sel, err := winperf.Select(`\Pump(*)\*`)
	if err != nil {
		return err
	}
	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil {
			return err
		}
		for _, r := range cycle.Readings() {
			fmt.Fprintln(out, r)
		}
	}
	return nil
}

// simulated returns the registers of a simulated device: two pumps, one of them idle.
func simulated(context.Context) ([]pump, error) {
	strokes := uint64(time.Now().UnixMilli() / 50)
	return []pump{{"north", strokes, 1830}, {"south", 77, 1825}}, nil
}
