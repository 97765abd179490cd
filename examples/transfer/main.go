// Transfer is a program that publishes counters: the object Transfer, which has no instances, and the
// object Peer, which has one for each peer.
//
// It pretends to send a few bytes at each step, until it is interrupted.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/provider/registration"
)

// schema declares the counters. The files transfer.ini and transfer.h, which
// Windows wants, are made from it by winperf provider init.
//
//go:embed transfer.json
var schema []byte

// bandwidth is the largest number of bytes per step of all transfers.
const bandwidth = 50_000

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, publish.Options{}, 100*time.Millisecond); err != nil {
		fmt.Fprintln(os.Stderr, "transfer:", err)
		os.Exit(1)
	}
}

// run publishes the counters and transfers data at every step, until ctx ends.
func run(ctx context.Context, opt publish.Options, step time.Duration) (err error) {
	s, err := registration.ParseDeclaration("transfer.json", schema)
	if err != nil {
		return err
	}

	p, err := publish.New(s, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()

	c, err := newCounters(p)
	if err != nil {
		return err
	}

	fmt.Println(`The counters are published: winperf watch '\Transfer\*' '\Peer(*)\*'`)
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			c.transfer()
		}
	}
}

type counters struct {
	sent, free, total *publish.Counter
	served            []*publish.Counter
}

func newCounters(p *publish.Publisher) (*counters, error) {
	object, err := p.Object("Transfer")
	if err != nil {
		return nil, err
	}

	single, err := object.Single()
	if err != nil {
		return nil, err
	}

	c := &counters{}
	var errs [3]error
	c.sent, errs[0] = single.Counter("Bytes Sent")
	c.free, errs[1] = single.Counter("Available Bandwidth")
	c.total, errs[2] = single.Base("Available Bandwidth")
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}

	c.free.Set(bandwidth)
	c.total.Set(bandwidth)
	return c, c.addPeers(p, "Peer 1", "Peer 2")
}

func (c *counters) addPeers(p *publish.Publisher, names ...string) error {
	object, err := p.Object("Peer")
	if err != nil {
		return err
	}

	for _, name := range names {
		peer, err := object.Instance(name, publish.InstanceOptions{})
		if err != nil {
			return err
		}
		served, err := peer.Counter("Bytes Served")
		if err != nil {
			return err
		}
		c.served = append(c.served, served)
	}
	return nil
}

// transfer sends data to all peers in parallel. Each goroutine updates the counters itself.
func (c *counters) transfer() {
	c.free.Set(bandwidth)

	var all sync.WaitGroup
	for _, served := range c.served {
		all.Go(func() {
			part := rand.Uint64N(bandwidth / uint64(len(c.served)))
			served.Add(part)
			c.sent.Add(part)
			c.free.AddSigned(-int64(part))
		})
	}
	all.Wait()
}
