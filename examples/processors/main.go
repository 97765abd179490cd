// Processors fills a struct for each processor every second, from the object Processor Information.
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

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure/typed"
	"github.com/winperf/winperf/source"
)

// processor has all counters that Windows has for a processor. Linux has about half of them: a Value has
// the reason why it is empty, while a float64 could only be NaN. Counters without the word optional must
// exist.
type processor struct {
	Name string `perf:"@instance"`

	Busy       float64              `perf:"% Processor Time"`
	User       float64              `perf:"% User Time"`
	Privileged float64              `perf:"% Privileged Time"`
	Interrupt  float64              `perf:"% Interrupt Time"`
	DPC        float64              `perf:"% DPC Time"`
	Idle       float64              `perf:"% Idle Time"`
	Priority   typed.Value[float64] `perf:"% Priority Time,optional"`

	Interrupts      float64              `perf:"Interrupts/sec"`
	ClockInterrupts typed.Value[float64] `perf:"Clock Interrupts/sec,optional"`
	DPCsQueued      float64              `perf:"DPCs Queued/sec"`
	DPCRate         typed.Value[uint32]  `perf:"DPC Rate,optional"`
	IdleBreaks      typed.Value[float64] `perf:"Idle Break Events/sec,optional"`
	AverageIdle     typed.Value[float64] `perf:"Average Idle Time,optional"`
	AverageIdleBase typed.Value[uint64]  `perf:"Average Idle Time Base,raw,optional"`

	Frequency       typed.Value[uint32]  `perf:"Processor Frequency,optional"`
	OfMaximum       typed.Value[uint32]  `perf:"% of Maximum Frequency,optional"`
	Performance     typed.Value[float64] `perf:"% Processor Performance,optional"`
	PerformanceBase typed.Value[uint32]  `perf:"% Processor Performance Base,raw,optional"`
	Utility         typed.Value[float64] `perf:"% Processor Utility,optional"`
	PrivilegedUtil  typed.Value[float64] `perf:"% Privileged Utility,optional"`
	UtilityBase     typed.Value[uint32]  `perf:"% Utility Base,raw,optional"`

	Limit      typed.Value[uint32] `perf:"% Performance Limit,optional"`
	LimitFlags typed.Value[uint32] `perf:"Performance Limit Flags,optional"`
	Parking    typed.Value[uint32] `perf:"Parking Status,optional"`
	StateFlags typed.Value[uint32] `perf:"Processor State Flags,optional"`

	C1        typed.Value[float64] `perf:"% C1 Time,optional"`
	C2        typed.Value[float64] `perf:"% C2 Time,optional"`
	C3        typed.Value[float64] `perf:"% C3 Time,optional"`
	C1Entered typed.Value[float64] `perf:"C1 Transitions/sec,optional"`
	C2Entered typed.Value[float64] `perf:"C2 Transitions/sec,optional"`
	C3Entered typed.Value[float64] `perf:"C3 Transitions/sec,optional"`
}

func main() {
	url := flag.String("source", "local:", "the URL of a source, or the name of a log")
	count := flag.Int("n", 0, "number of rounds; 0 means no end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	err := run(ctx, *url, *count, time.Second, os.Stdout)
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "processors:", err)
		os.Exit(1)
	}
}

// run prints all processors at every interval, or for each sample of a log without waiting, until count
// rounds, the log or ctx ends.
func run(ctx context.Context, url string, count int, interval time.Duration, out io.Writer) error {
	src, err := source.Open(ctx, url)
	if err != nil {
		return err
	}
	defer src.Close()

	// The first Read returns rates since Open.
	reader, err := typed.Open[processor](ctx, src, "Processor Information", typed.Options{
		Cook: counter.Options{Clamp: true},
	})
	if err != nil {
		return err
	}
	defer reader.Close()

	if src.Describe().Recorded {
		interval = 1 // a log has its own times
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for n := 0; count == 0 || n < count; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}

		processors, err := reader.Read(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}

		for _, damage := range reader.Damage() {
			fmt.Fprintln(os.Stderr, "processors:", damage)
		}
		show(out, reader.Time(), processors)
	}
	return nil
}

func show(out io.Writer, taken time.Time, processors []processor) {
	fmt.Fprintf(out, "%-8s  %8s %8s %8s  %12s %12s  %s\n", taken.Format(time.TimeOnly),
		"busy", "user", "kernel", "interrupts", "idle breaks", "frequency")

	for i := range processors {
		p := &processors[i]
		breaks, frequency := p.IdleBreaks.Status.String(), p.Frequency.Status.String()
		if n, ok := p.IdleBreaks.Get(); ok {
			breaks = fmt.Sprintf("%.0f/s", n)
		}
		if mhz, ok := p.Frequency.Get(); ok {
			frequency = fmt.Sprintf("%d MHz", mhz)
		}
		fmt.Fprintf(out, "%-8s  %6.1f %% %6.1f %% %6.1f %%  %10.0f/s %12s  %s\n",
			p.Name, p.Busy, p.User, p.Privileged, p.Interrupts, breaks, frequency)
	}
}
