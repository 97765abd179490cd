// Workers is a version 2 provider of Windows: it registers a counter set with the system, and an instance
// for each of its workers. On other systems it publishes the same counters for winperf only.
//
// Its arguments are the names of the workers.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider/perflib"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// schema declares the counter set. The manifest workers.man, which Windows wants,
// is made from it by winperf provider init.
//
//go:embed workers.json
var schema []byte

const object = "Example Workers"

func main() {
	period := flag.Duration("for", 0, "how long to work; 0 means no end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if *period > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *period)
		defer cancel()
	}

	names := flag.Args()
	if len(names) == 0 {
		names = []string{"red", "green", "blue"}
	}

	if err := run(ctx, names, publish.Options{}, 10*time.Millisecond, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "workers:", err)
		os.Exit(1)
	}
}

// run lets workers work until ctx ends. Every step adds a job for one of them.
func run(
	ctx context.Context, names []string, opt publish.Options, step time.Duration, out io.Writer,
) (err error) {
	s, err := registration.ParseDeclaration("workers.json", schema)
	if err != nil {
		return err
	}

	p, err := publish.New(s, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()

	sets, err := perflib.Start(s, p)
	switch {
	case errors.Is(err, winperf.ErrNotSupported):
		fmt.Fprintln(out, "This system has no counter sets; only winperf shows the counters.")
		sets = nil
	case err != nil:
		return err
	default:
		// The system reads the publisher's memory, so stop it before the publisher.
		defer func() { err = errors.Join(err, sets.Close()) }()
	}

	workers, err := begin(p, sets, names)
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "Workers are at work: winperf watch '\\%s(*)\\*'\n", object)
	work(ctx, workers, step)
	return nil
}

type worker struct {
	jobs, waiting *publish.Counter
	queue         uint64
}

// begin publishes an instance for each name, and adds it to the counter set if there is one.
func begin(p *publish.Publisher, sets *perflib.Provider, names []string) ([]*worker, error) {
	published, err := p.Object(object)
	if err != nil {
		return nil, err
	}

	var workers []*worker
	for _, name := range names {
		instance, err := published.Instance(name, publish.InstanceOptions{})
		if err != nil {
			return nil, err
		}

		if sets != nil {
			if _, err := sets.Instance(object, name, instance); err != nil {
				return nil, err
			}
		}

		w := &worker{}
		if w.jobs, err = instance.Counter("Jobs/sec"); err != nil {
			return nil, err
		}
		if w.waiting, err = instance.Counter("Jobs Waiting"); err != nil {
			return nil, err
		}
		workers = append(workers, w)
	}
	return workers, nil
}

// work adds a job to a worker at every step, and lets another worker finish one.
func work(ctx context.Context, workers []*worker, step time.Duration) {
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}

		given := workers[rand.IntN(len(workers))]
		given.queue++
		given.waiting.Set(given.queue)

		done := workers[rand.IntN(len(workers))]
		if done.queue > 0 {
			done.queue--
			done.waiting.Set(done.queue)
			done.jobs.Add(1)
		}
	}
}
