// Decode prints the raw values in a block: for each object, the types of its counters and a row for each
// instance.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/source"
)

func main() {
	url := flag.String("source", "local:", "the source of the block, such as perfdata:FILE")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, *url, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "decode:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string, out io.Writer) error {
	src, err := source.Open(ctx, url)
	if err != nil {
		return err
	}
	defer src.Close()

	query, err := src.Compile(ctx, winperf.Selection{Global: true})
	if err != nil {
		return err
	}
	defer query.Close()

	var sample winperf.Sample
	if err := query.Next(ctx, &sample); err != nil {
		return err
	}

	var pool frame.Pool
	decoded, err := pool.Decode(&sample, frame.Frame{})
	if err != nil {
		return err
	}

	for _, damage := range decoded.Damage() {
		fmt.Fprintln(os.Stderr, "decode:", damage)
	}
	for o := range decoded.Objects() {
		show(out, o)
	}
	return nil
}

// show prints an object. Blocks contain title indices of objects and counters; the schema of the sample
// has the names.
func show(out io.Writer, o frame.Object) {
	fmt.Fprintf(out, "object %d\n", o.ID().Index)
	for k := range o.NumCounters() {
		c := o.Counter(k)
		fmt.Fprintf(out, "  counter %d: %v, %d bytes\n", c.ID.Index, c.Type, c.Size)
	}

	// Read all values of the object, row by row.
	width := o.NumCounters()
	values := make([]uint64, o.Len()*width)
	rows, whole := o.ReadRows(values, 0)
	for i := range rows {
		fmt.Fprintf(out, "  %s %v\n", o.Labels().Full(i), values[i*width:][:width])
	}
	if !whole {
		fmt.Fprintln(out, "  Missing values are shown as 0.")
	}
}
