package view

import (
	"context"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// idle is the time after the last request when a live source is no longer measured.
const idle = time.Minute

// live measures a live source and stores its samples.
type live struct {
	view     *View
	src      winperf.Source
	to       *history
	interval time.Duration

	mu      sync.Mutex
	running bool
	asked   time.Time // of the latest request
}

// need announces a request, and begins to measure.
func (l *live) need() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	if !l.running && l.view.ctx.Err() == nil {
		l.running = true
		l.view.work.Go(func() { l.run(l.view.ctx) })
	}
}

// ended reports whether no client needs the samples, and then that the loop ends.
func (l *live) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.view.opt.KeepAlways || time.Since(l.asked) < idle {
		return false
	}
	l.running = false
	return true
}

func (l *live) run(ctx context.Context) {
	opt := measure.Options{RawOnly: true, Interval: l.interval, KeepFirst: true}
	for ctx.Err() == nil {
		for cycle, err := range measure.Watch(ctx, l.src, winperf.Selection{Global: true}, opt) {
			if err == nil {
				err = l.to.add(cycle.Sample)
			}
			l.to.fail(err)
			if err != nil {
				break
			}
			if l.ended() {
				return
			}
		}
		if l.ended() || !sleep(ctx, l.interval) {
			return
		}
	}
}
