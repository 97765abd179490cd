package view

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
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
	asked   time.Time            // of the latest request
	costly  time.Time            // of the latest sample of all costly objects
	named   map[string]time.Time // requested paths of costly objects
	schema  *winperf.Schema
	names   *nametable.Names // of schema
}

// need announces a request for counters, and begins to measure.
func (l *live) need(paths ...winperf.Path) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	for _, p := range l.costlyOf(paths) {
		if len(l.named) < MaxPaths {
			l.named[p.String()] = l.asked
		}
	}
	if !l.running && l.view.ctx.Err() == nil {
		l.running = true
		l.view.work.Go(func() { l.run(l.view.ctx) })
	}
}

// costlyOf returns the paths of costly objects. l is locked.
func (l *live) costlyOf(paths []winperf.Path) []winperf.Path {
	schema := l.to.latestSchema()
	if len(paths) == 0 || schema == nil || len(schema.Costly) == 0 {
		return nil
	}
	if schema != l.schema {
		l.schema = schema
		l.names, _ = nametable.FromSchema(schema)
	}
	_, costly, _ := selection.Split(winperf.Selection{Paths: paths}, l.names, schema.Costly)
	return costly.Paths
}

// selection returns the selection of the next sample. Costly objects are in it if they were requested a short
// time ago, and all of them twice in the time of the history, so that clients know their counters.
func (l *live) selection() winperf.Selection {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	sel := winperf.Selection{Global: true}
	if !l.to.begin().IsZero() && now.Sub(l.costly) > l.to.keep/2 { // they do not delay the first sample
		sel.Costly = true
		l.costly = now
		return sel
	}
	maps.DeleteFunc(l.named, func(_ string, asked time.Time) bool { return now.Sub(asked) > idle })
	named, _ := winperf.Select(slices.Sorted(maps.Keys(l.named))...) // they were valid before
	sel.Paths = named.Paths
	return sel
}

// caused reports whether an event only means that a costly object is not in every sample.
func (l *live) caused(e Event) bool {
	if e.Kind != winperf.SchemaChanged {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.costlyOf([]winperf.Path{{Object: e.Object, Counter: "*"}})) > 0
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

// run measures until ctx ends or no client needs the samples. A new selection needs a new measurement.
func (l *live) run(ctx context.Context) {
	opt := measure.Options{RawOnly: true, Interval: l.interval, KeepFirst: true}
	sel := l.selection()

	for ctx.Err() == nil {
		next := sel
		for cycle, err := range measure.Watch(ctx, l.src, sel, opt) {
			if err == nil {
				err = l.to.add(cycle.Sample)
			}
			l.to.fail(err)
			if err == nil && l.ended() {
				return
			}
			if next = l.selection(); err != nil || !reflect.DeepEqual(next, sel) {
				break
			}
		}
		sel = next
		if l.ended() || !sleep(ctx, l.interval) {
			return
		}
	}
}
