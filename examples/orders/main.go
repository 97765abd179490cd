// Orders uses experiments: it measures each of its orders as a region, writes the records to a file, and
// lets others attach experiments.
//
// Records that do not fit into memory are written to disk. If the program is killed, its next run
// delivers them first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/control"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/source"
)

type options struct {
	orders int
	dir    string
	path   string
}

func main() {
	opt := options{dir: "orders-records"}
	flag.IntVar(&opt.orders, "n", 100, "number of orders")
	flag.StringVar(&opt.path, "path", `\System\Context Switches/sec`, "the counter to measure")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, opt, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, opt options, out io.Writer) (err error) {
	machine, err := source.Open(ctx, "local:")
	if err != nil {
		return err
	}
	defer machine.Close()

	// One call shows the orders to others and lets them attach experiments.
	sources := []sensor.Origin{{Name: "machine", Source: machine}}
	server, err := control.Listen(ctx, control.Options{Sources: sources})
	if err != nil {
		fmt.Fprintln(out, "others cannot attach experiments:", err)
	} else {
		defer server.Close()
	}

	finish, err := record(ctx, opt, sources)
	if err != nil {
		return err
	}
	serve(ctx, opt.orders)
	file, err := finish()
	if err != nil {
		return err
	}
	n, err := count(file)
	fmt.Fprintf(out, "%s has %d records of served orders\n", file, n)
	return err
}

func count(file string) (served int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()

	for r, err := range experiment.ReadRecords(f) {
		if err != nil {
			return served, err
		}
		if slices.Contains(r.Event.Attrs, experiment.Attr{Key: "served", Value: true}) {
			served++
		}
	}
	return served, nil
}

// serve serves orders. Each is a region with an event in it.
func serve(ctx context.Context, orders int) {
	for n := range orders {
		inside, region := experiment.Region(ctx, "order", slog.Int("number", n+1))
		select {
		case <-time.After(10 * time.Millisecond): // the work
		case <-ctx.Done():
			// the region's attribute reports it
		}
		experiment.Event(inside, "order packed", slog.String("box", "small"))
		region.End(slog.Bool("served", ctx.Err() == nil))
		if ctx.Err() != nil {
			return
		}
	}
}

// record begins an experiment whose records are written to a file. finish ends it, and returns the file's
// name.
func record(
	ctx context.Context, opt options, sources []sensor.Origin,
) (finish func() (string, error), err error) {
	path, err := winperf.ParsePath(opt.path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opt.dir, 0o777); err != nil {
		return nil, err
	}
	file := filepath.Join(opt.dir, "records.jsonl")
	sink, err := delivery.NewFile(file, delivery.FileOptions{})
	if err != nil {
		return nil, err
	}
	to, err := delivery.New(delivery.Options{Routes: []delivery.Route{{Name: "file", Sink: sink}}})
	if err != nil {
		return nil, err
	}

	// Deliver records that an earlier run left on disk first.
	disk := delivery.Disk{Dir: filepath.Join(opt.dir, "spill")}
	if err := delivery.Recover(ctx, disk, to.Put); err != nil {
		return nil, err
	}
	spill, err := delivery.NewSpill(disk)
	if err != nil {
		return nil, err
	}

	orders := experiment.Binding{
		Events: []string{"order*"}, Paths: []winperf.Path{path}, Policy: experiment.Spill,
	}
	e, err := experiment.New(experiment.Options{
		Name:     "orders",
		Sources:  sources,
		Bindings: []experiment.Binding{orders},
		Spool:    spill,
		OnLimit:  to.SendNow,
	})
	if err != nil {
		return nil, err
	}
	if err := e.Attach(ctx); err != nil {
		return nil, err
	}

	delivered := make(chan error, 1)
	go func() { delivered <- to.Run(context.Background(), e) }() // until the experiment has ended
	return func() (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err := errors.Join(e.Detach(ctx), <-delivered, to.Close(ctx), spill.Close())
		if n := spill.Dropped(); n > 0 {
			err = errors.Join(err, fmt.Errorf("%d records did not fit on disk", n))
		}
		return file, err
	}, nil
}
