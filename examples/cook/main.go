// Cook computes the displayed value of a counter from two raw samples in its arguments.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/winperf/winperf/counter"
)

const usage = `usage: cook TYPE VALUE SECONDS VALUE SECONDS

TYPE is a name in winperf.h, such as PERF_COUNTER_COUNTER. Each sample is a
raw value and a time in seconds. All clocks have 10 million ticks per second.
`

func main() {
	if len(os.Args) != 6 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(1)
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cook:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	typ, err := counter.ParseType(args[0])
	if err != nil {
		return err
	}
	prev, err := sample(args[1], args[2])
	if err != nil {
		return err
	}
	cur, err := sample(args[3], args[4])
	if err != nil {
		return err
	}

	// An unknown type has no formula: its value is unsupported.
	if info, ok := typ.Info(); ok {
		fmt.Fprintf(out, "%v: %s, %s\n", typ, info.Brief, info.Formula())
	}

	result := counter.Cook(typ, &prev, &cur, counter.Options{})
	if result.Status != counter.OK {
		_, err = fmt.Fprintln(out, "no value:", result.Status)
		return err
	}
	_, err = fmt.Fprintln(out, result.Value, result.Unit)
	return err
}

func sample(value, seconds string) (counter.Sample, error) {
	raw, err := strconv.ParseUint(value, 0, 64)
	if err != nil {
		return counter.Sample{}, err
	}
	at, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return counter.Sample{}, err
	}

	// The type decides which of these clocks is used.
	const frequency = 10_000_000
	ticks := int64(at * frequency)
	return counter.Sample{Value: raw, Clocks: counter.Clocks{
		PerfTime:   ticks,
		PerfFreq:   frequency,
		Time100ns:  ticks,
		ObjectTime: ticks,
		ObjectFreq: frequency,
	}}, nil
}
