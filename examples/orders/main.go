// Orders takes part in experiments: it measures each of its orders as a region, writes
// the records to a file, and lets others attach experiments of their own.
//
// Records that memory has no room for go to disk. If the program is killed, its next run
// finds them there and delivers them first.
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

// options are what the command line says.
type options struct {
	orders int    // how many there are
	dir    string // of the records
	path   string // what is measured
}

func main() {
	opt := options{dir: "orders-records"}
	flag.IntVar(&opt.orders, "n", 100, "how many orders there are")
	flag.StringVar(&opt.path, "path", `\System\Context Switches/sec`, "the counter to measure")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if err := run(ctx, opt, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(1)
	}
}

// run serves orders until ctx ends or there are no more.
func run(ctx context.Context, opt options, out io.Writer) (err error) {
	machine, err := source.Open(ctx, "local:")
	if err != nil {
		return err
	}
	defer machine.Close()

	// One call lets others see the orders, and attach experiments to them.
	sources := []sensor.Origin{{Name: "machine", Source: machine}}
	server, err := control.Listen(ctx, control.Options{Sources: sources})
	if err != nil {
		fmt.Fprintln(out, "nobody else can attach an experiment:", err)
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
	fmt.Fprintf(out, "%s has %d records of orders that were served\n", file, n)
	return err
}

// count reads the records of a file.
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

// serve serves orders. Each is a region, with an event in it.
func serve(ctx context.Context, orders int) {
	for n := range orders {
		inside, region := experiment.Region(ctx, "order", slog.Int("number", n+1))
		select {
		case <-time.After(10 * time.Millisecond): // the work
		case <-ctx.Done():
			// the region tells it
		}
		experiment.Event(inside, "order packed", slog.String("box", "small"))
		region.End(slog.Bool("served", ctx.Err() == nil))
		if ctx.Err() != nil {
			return
		}
	}
}

// record begins an experiment whose records go to a file. finish ends it, and returns the
// file's name.
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

	// What an earlier run left on disk comes first.
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
		OnLimit:  to.Hurry,
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
			err = errors.Join(err, fmt.Errorf("%d records found no room on disk", n))
		}
		return file, err
	}, nil
}
