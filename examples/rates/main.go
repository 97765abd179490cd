// Rates prints the values of counters, live each second or from a log.
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
	"github.com/winperf/winperf/source"
)

func main() {
	url := flag.String("source", "local:", "the URL of a source, or the name of a log")
	count := flag.Int("n", 0, "number of rounds; 0 means no end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	err := run(ctx, *url, flag.Args(), measure.Options{Count: *count}, os.Stdout)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "rates:", err)
		os.Exit(1)
	}
}

// run prints the counters of the paths until the source ends, or as the options require.
func run(ctx context.Context, url string, paths []string, opt measure.Options, out io.Writer) error {
	sel, err := winperf.Select(paths...)
	if err != nil {
		return err
	}

	src, err := source.Open(ctx, url)
	if err != nil {
		return err
	}
	defer src.Close()

	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil {
			return err
		}
		for _, damage := range cycle.Damage {
			fmt.Fprintln(os.Stderr, "rates:", damage)
		}
		for _, r := range cycle.Readings() {
			fmt.Fprintf(out, "%s  %v\n", r.Time.Format(time.TimeOnly), r)
		}
	}
	return nil
}
