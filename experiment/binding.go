package experiment

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/cache"
	"github.com/winperf/winperf/measure"
)

// binding is an open Binding. It serves its events one by one, in the order in which they were emitted,
// each with a separate sample. Usually its goroutine does that. If no other event waits, an emitting
// goroutine serves its event itself when that takes no longer than waking another goroutine.
type binding struct {
	experiment *Experiment
	opt        Binding
	patterns   []winperf.Pattern
	quota      quota

	queue   chan *ticket
	control chan func() // functions to run between two events
	stop    chan struct{}
	done    chan struct{}
	tickets sync.Pool // *ticket
	sensors atomic.Pointer[[]string]
	pending atomic.Int64 // events that were submitted and not served; negative once the binding has ended
	// Duration of the last sample, and from its end to its record, in ns.
	sampling, completing atomic.Int64
	emitted              atomic.Uint64
	failed               atomic.Uint64

	mu       sync.Mutex
	sampler  sampler
	prepared bool
	ctx      context.Context // parent of all samples' contexts
	cancel   context.CancelFunc
	watch    *time.Timer // cancels ctx when a sample takes too long
	summary  *summaries
	noted    anomalies
	switches switches
	width    int
}

// over is added to pending when the binding ends: later events are rejected.
const over = math.MinInt64 / 2

// Limits of a binding.
const (
	queueLength    = 256
	defaultTimeout = 10 * time.Second

	// An event is served by its emitter only if this delays the emitter by less than quick, and only if
	// the sample is short, since the end of a context is not noticed meanwhile.
	quick = 20 * time.Microsecond
	short = time.Millisecond
)

func (b *binding) run() {
	defer close(b.done)
	for {
		select {
		case t := <-b.queue:
			b.serve(t)
		case do := <-b.control:
			b.mu.Lock()
			do()
			b.mu.Unlock()
		case <-b.stop:
			b.finish()
			return
		}
	}
}

func (b *binding) finish() {
	for !b.pending.CompareAndSwap(0, over) {
		select {
		case t := <-b.queue:
			b.serve(t)
		case <-time.After(time.Millisecond): // an event is being submitted, or served by its emitter
		}
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.sampler.Close()
	b.watch.Stop()
	b.cancel()
}

func (b *binding) renew() {
	ctx, cancel := context.WithCancel(b.experiment.ctx)
	b.ctx, b.cancel = ctx, cancel
	b.watch = time.AfterFunc(time.Hour, cancel)
	b.watch.Stop()
}

func (b *binding) serve(t *ticket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take(t, nil)
	b.complete(t)
}

// mayServeHere reports whether the emitting goroutine should serve the event: no other event waits, and
// the delay is short. If so, the event is counted as the pending one.
func (b *binding) mayServeHere(t *ticket) bool {
	sample, rest := time.Duration(b.sampling.Load()), time.Duration(b.completing.Load())
	beyond := rest // time beyond the stage that the emitter waits for
	if t.until == atBegin {
		beyond += sample
	}
	if beyond >= quick || sample >= short || !b.pending.CompareAndSwap(0, 1) {
		return false
	}
	if !b.experiment.store.hasSpace(&b.quota) {
		b.pending.Add(-1)
		return false
	}
	return true
}

// serveHere serves an event in the emitting goroutine. It returns false if ctx ended before the sample
// was taken: the binding's goroutine must then serve the event.
func (b *binding) serveHere(ctx context.Context, t *ticket) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accept(t)
	t.here = true
	if !b.takeUnless(ctx, t) {
		t.here, t.err, t.cost = false, nil, measure.Cost{}
		return false
	}
	b.complete(t)
	return true
}

// takeUnless takes the sample of an event and stops when ctx ends. It returns false if the sample failed
// because of that.
func (b *binding) takeUnless(ctx context.Context, t *ticket) bool {
	// The wait for a region's end is longer than the timeout of its sample.
	if _, long := ctx.(*waitContext); long || ctx.Done() == nil {
		b.take(t, nil)
		return true
	}
	b.take(t, ctx)
	return t.err == nil || ctx.Err() == nil
}

func (b *binding) prepare() error {
	if b.prepared {
		return nil
	}
	b.limit()
	err := b.sampler.Prepare(b.ctx)
	b.unlimit()
	b.prepared = err == nil
	return err
}

// limit starts the timeout of the next steps, unlimit stops it.
func (b *binding) limit() {
	if b.ctx.Err() != nil {
		b.renew()
	}
	b.watch.Reset(b.timeout())
}

func (b *binding) unlimit() {
	if !b.watch.Stop() {
		b.cancel() // now rather than during the next sample
	}
}

func (b *binding) timeout() time.Duration {
	if b.opt.Timeout <= 0 {
		return defaultTimeout
	}
	return b.opt.Timeout
}

// take takes the sample of an event. If caller is not nil, its end stops the sample.
func (b *binding) take(t *ticket, caller context.Context) {
	clock := b.experiment.clock
	t.err = b.prepare()
	b.prepared = false

	t.begun = clock.Now().UTC()
	t.reach(atBegin)
	if t.err == nil {
		t.err = b.sample(t, caller)
	}
	t.ended = clock.Now().UTC()
	t.reach(atEnd)
	t.cost.Sample = max(0, t.ended.Sub(t.begun))
}

func (b *binding) sample(t *ticket, caller context.Context) error {
	b.limit()
	ctx := b.ctx
	if caller != nil {
		joined := &until{Context: ctx, caller: caller}
		defer joined.end()
		ctx = joined
	}
	err := b.sampler.Sample(cache.NotBefore(ctx, t.since))
	late := b.ctx.Err() != nil
	b.unlimit()
	if err != nil && late && b.experiment.ctx.Err() == nil {
		return fmt.Errorf("no sample within %v: %w", b.timeout(), err)
	}
	return err
}

func (b *binding) complete(t *ticket) {
	var cycles []sensor.MemberCycle
	if t.err == nil {
		cycles, t.err = b.sampler.Decode()
	}
	for i := range cycles {
		if c := cycles[i].Cycle; c != nil {
			b.noted.add(c.Anomalies)
			addCost(&t.cost, measure.Cost{
				Prepare: c.Cost.Prepare, Decode: c.Cost.Decode + c.Cost.Cook, Bytes: c.Cost.Bytes,
			})
		}
	}
	b.noteSources(t, cycles)
	b.switches.add(cycles)

	now := b.experiment.clock.Now()
	if t.here && t.until == atBegin {
		t.blocked = max(0, now.Sub(t.emitted))
	}
	b.sampling.Store(int64(t.cost.Sample))
	b.completing.Store(int64(now.Sub(t.ended)))
	if t.part != nil && !t.ends {
		b.begin(t, cycles)
	} else {
		b.store(t, cycles)
	}

	// Prepare early to make the next event faster. An error is repeated by take.
	_ = b.prepare()
	b.pending.Add(-1)
	b.free(t)
}

// noteSources records failed sources. A region also reports sources that failed at its begin, because
// values are missing then; other anomalies of that sample happened before the region.
func (b *binding) noteSources(t *ticket, cycles []sensor.MemberCycle) {
	if t.part != nil && !t.ends {
		t.part.noted = b.noted.count
	}
	for i := range cycles {
		b.noted.add(cycles[i].Anomalies)
	}
}

func addCost(c *measure.Cost, other measure.Cost) {
	c.Prepare += other.Prepare
	c.Sample += other.Sample
	c.Decode += other.Decode
	c.Bytes += other.Bytes
}
