package provider

import (
	"errors"
	"fmt"
	"io/fs"
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
	// a provider reports that has not failed (see [Writer].Report).
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

// fail notes a failure of the provider, decides how long it is left alone, and
// tells the user of the dispatcher.
func (d *Dispatcher) fail(e *entry, stage string, err error) {
	pause := e.pauses.Fail(time.Now())
	if stage == stageClose {
		pause = 0 // it is not asked again anyway
	}
	e.failures++
	if e.failure = nil; !errors.Is(err, fs.ErrPermission) {
		e.failure = fmt.Errorf("%s: %w", e.name, err)
	}
	p := Problem{Stage: stage, Err: err, Failures: e.pauses.Failures, Pause: pause}
	var in *panicked
	if errors.As(err, &in) {
		p.Stack = in.stack
	}
	d.tell(e, p)
}

// tell tells the user of the dispatcher of a problem.
func (d *Dispatcher) tell(e *entry, p Problem) {
	if d.opt.OnProblem == nil {
		return
	}
	p.Provider = e.name
	p.Total = e.failures
	p.Time = winperf.FromFiletime(d.opt.Clocks().Time100ns)
	d.opt.OnProblem(p)
}

// failOverdue notes that the provider did not answer in time.
func (d *Dispatcher) failOverdue(e *entry, r round, cause error) {
	d.fail(e, r.stage, fmt.Errorf("no answer within %v: %w", r.limit, cause))
}
