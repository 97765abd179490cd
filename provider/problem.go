package provider

import (
	"fmt"
	"time"

	"github.com/winperf/winperf"
)

// Problem is what went wrong with a provider.
type Problem struct {
	Provider string
	Stage    string    // "open", "collect" or "close"
	Time     time.Time // by the clocks of the samples
	// Err is the cause. It wraps [context.DeadlineExceeded] when the provider
	// returned too late, [ErrBusy] when it has not returned, [ErrTooLarge],
	// [ErrSchema] when an object was not as declared, or [winperf.ErrState]
	// when it was written in the wrong order.
	Err   error
	Stack []byte // where it was, if the provider panicked
	// Failures is how often in a row the provider has failed now. It is 0 of what
	// a provider reports that has not failed (see [Writer].Report), and from
	// [Dispatcher.Problems] when the provider has answered since.
	Failures int
	// Total is how often the provider has failed since the dispatcher was made.
	Total int
	// Pause is how long the provider is left alone, from Time on; longer, if
	// it has not returned by then.
	Pause time.Duration
}

// The stages of a provider's life, as problems name them.
const (
	stageOpen    = "open"
	stageCollect = "collect"
	stageClose   = "close"
)

// Problems returns the last problem of every provider that ever had one, in
// the order of the providers. It may be called at any time, also while a query
// is under way.
func (d *Dispatcher) Problems() []Problem {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []Problem
	for _, e := range d.entries {
		if e.problem.Total > 0 {
			list = append(list, e.problem)
		}
	}
	return list
}

// fail notes a failure of the provider, decides how long it is left alone, and
// tells the user of the dispatcher.
func (d *Dispatcher) fail(e *entry, stage string, f failure) {
	pause := e.pauses.Fail(time.Now())
	if stage == stageClose {
		pause = 0 // it is not asked again anyway
	}
	p := Problem{
		Provider: e.name,
		Stage:    stage,
		Time:     winperf.FromFiletime(d.opt.Clocks().Time100ns),
		Err:      f.err,
		Stack:    f.stack,
		Failures: e.pauses.Failures,
		Total:    e.problem.Total + 1,
		Pause:    pause,
	}
	d.mu.Lock()
	e.problem = p
	d.mu.Unlock()
	if d.opt.OnProblem != nil {
		d.opt.OnProblem(p)
	}
}

// report tells the user of the dispatcher what a provider reported.
func (d *Dispatcher) report(e *entry, err error) {
	if d.opt.OnProblem == nil {
		return
	}
	d.opt.OnProblem(Problem{
		Provider: e.name,
		Stage:    stageCollect,
		Time:     winperf.FromFiletime(d.opt.Clocks().Time100ns),
		Err:      err,
		Total:    e.problem.Total,
	})
}

// succeed notes that the provider has answered.
func (d *Dispatcher) succeed(e *entry) {
	if e.pauses.Failures == 0 {
		return
	}
	e.pauses.Reset()
	d.mu.Lock()
	e.problem.Failures, e.problem.Pause = 0, 0
	d.mu.Unlock()
}

// failOverdue notes that the provider did not answer in time.
func (d *Dispatcher) failOverdue(e *entry, r round, cause error) {
	d.fail(e, r.stage, failure{err: fmt.Errorf("no answer within %v: %w", r.limit, cause)})
}
