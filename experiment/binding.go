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

// binding is a binding at work: it serves its events one by one, in the order in which they were
// emitted, each with a sample of its own.
//
// As a rule its own goroutine does that. Whoever emits an event while there is no other one serves
// it himself where that is done about as soon as another goroutine is woken.
type binding struct {
	experiment *Experiment
	opt        Binding
	patterns   []winperf.Pattern
	quota      quota

	queue   chan *ticket
	control chan func() // done between two events
	stop    chan struct{}
	done    chan struct{}
	tickets sync.Pool                // *ticket
	sensors atomic.Pointer[[]string] // for people
	pending atomic.Int64             // events that were submitted and not served; over, and more, at the end
	// How long the last sample took, and the rest until its record, in ns.
	sampling, completing atomic.Int64
	emitted              atomic.Uint64
	failed               atomic.Uint64

	mu       sync.Mutex // held by whoever serves; guards what follows
	sampler  sampler
	prepared bool
	ctx      context.Context // of all samples
	cancel   context.CancelFunc
	watch    *time.Timer // cancels ctx when a sample takes too long
	summary  *summaries
	noted    anomalies
	switches switches
	width    int // how many values the last record had
}

// over is what pending is when the binding serves nothing any more: those who submit more are told.
const over = math.MinInt64 / 2

// Bounds of a binding.
const (
	queueLength    = 256              // events that wait before those who emit more of them wait to be taken
	defaultTimeout = 10 * time.Second // for a sample

	// An event is served by who emits it where that holds him up by less than quick for nothing,
	// and where the sample is short: the end of a context is not noticed meanwhile.
	quick = 20 * time.Microsecond
	short = time.Millisecond
)

// run serves events until the binding is stopped, and those that wait then.
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

// finish serves what waits, and ends.
func (b *binding) finish() {
	for !b.pending.CompareAndSwap(0, over) {
		select {
		case t := <-b.queue:
			b.serve(t)
		case <-time.After(time.Millisecond): // an event is being submitted, or served by who emitted it
		}
	}

	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.sampler.Close() // what it measured is in the records
	b.watch.Stop()
	b.cancel()
}

// renew gives samples a new context, after one took too long.
func (b *binding) renew() {
	ctx, cancel := context.WithCancel(b.experiment.ctx)
	b.ctx, b.cancel = ctx, cancel
	b.watch = time.AfterFunc(time.Hour, cancel)
	b.watch.Stop()
}

// serve takes the sample of an event and makes its record.
func (b *binding) serve(t *ticket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take(t, nil)
	b.complete(t)
}

// mayServeHere reports whether an event is to be served in the goroutine that emitted it: if there is no
// other one and it does not wait much longer for that. Then it is the one that is served.
func (b *binding) mayServeHere(t *ticket) bool {
	sample, rest := time.Duration(b.sampling.Load()), time.Duration(b.completing.Load())
	beyond := rest // what it takes beyond what is waited for
	if t.until == atBegin {
		beyond += sample
	}
	if beyond >= quick || sample >= short || !b.pending.CompareAndSwap(0, 1) {
		return false
	}
	if !b.experiment.store.hasRoom(&b.quota) {
		b.pending.Add(-1)
		return false
	}
	return true
}

// serveHere serves an event in the goroutine that emitted it. It reports false where ctx ended before
// there was a sample: that is to be taken by the goroutine of the binding.
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

// takeUnless takes the sample of an event unless ctx ends meanwhile. It reports whether that did not
// matter.
func (b *binding) takeUnless(ctx context.Context, t *ticket) bool {
	// The end of a region is waited for longer than its sample may take.
	if _, long := ctx.(*patience); long || ctx.Done() == nil {
		b.take(t, nil)
		return true
	}
	b.take(t, ctx)
	return t.err == nil || ctx.Err() == nil
}

// prepare makes the next sample possible.
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

// limit bounds the time of what the binding does from now on, unlimit ends that.
func (b *binding) limit() {
	if b.ctx.Err() != nil {
		b.renew()
	}
	b.watch.Reset(b.timeout())
}

func (b *binding) unlimit() {
	if !b.watch.Stop() {
		b.cancel() // now, and not while the next sample is taken
	}
}

// timeout is how long a sample may take.
func (b *binding) timeout() time.Duration {
	if b.opt.Timeout <= 0 {
		return defaultTimeout
	}
	return b.opt.Timeout
}

// take takes the sample of an event. It ends with the context of who emitted it, unless that is nil.
func (b *binding) take(t *ticket, his context.Context) {
	clock := b.experiment.clock
	t.err = b.prepare()
	b.prepared = false

	t.begun = clock.Now().UTC()
	t.reach(atBegin)
	if t.err == nil {
		t.err = b.sample(t, his)
	}
	t.ended = clock.Now().UTC()
	t.reach(atEnd)
	t.cost.Sample = max(0, t.ended.Sub(t.begun))
}

// sample takes a sample that is begun now, for as long as the binding waits for one.
func (b *binding) sample(t *ticket, his context.Context) error {
	b.limit()
	ctx := b.ctx
	if his != nil {
		joined := &until{Context: ctx, his: his}
		defer joined.end()
		ctx = joined
	}
	err := b.sampler.Sample(cache.NotBefore(ctx, t.asked))
	late := b.ctx.Err() != nil
	b.unlimit()
	if err != nil && late && b.experiment.ctx.Err() == nil {
		return fmt.Errorf("no sample within %v: %w", b.timeout(), err)
	}
	return err
}

// complete decodes the sample of an event and makes its record.
func (b *binding) complete(t *ticket) {
	var cycles []sensor.MemberCycle
	if t.err == nil {
		cycles, t.err = b.sampler.Decode()
	}
	for i := range cycles {
		if c := cycles[i].Cycle; c != nil {
			b.noted.add(c.Anomalies)
			addCost(&t.cost, measure.Cost{Prepare: c.Cost.Prepare, Decode: c.Cost.Decode + c.Cost.Cook, Bytes: c.Cost.Bytes})
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

	// The next event finds everything prepared. An error comes again, with the event.
	_ = b.prepare()
	b.pending.Add(-1)
	b.free(t)
}

// noteSources notes which sources have failed. A region is told also of those at its begin, without
// which values lack; all else that is unusual there was before it.
func (b *binding) noteSources(t *ticket, cycles []sensor.MemberCycle) {
	if t.part != nil && !t.ends {
		t.part.noted = b.noted.count
	}
	for i := range cycles {
		b.noted.add(cycles[i].Anomalies)
	}
}

// addCost adds another cost to c.
func addCost(c *measure.Cost, other measure.Cost) {
	c.Prepare += other.Prepare
	c.Sample += other.Sample
	c.Decode += other.Decode
	c.Bytes += other.Bytes
}
