package provider

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/winperf/winperf"
)

// Problem describes a failure of a provider, or a problem that it reported.
type Problem struct {
	Provider string
	Stage    string    // "open", "collect" or "close"
	Time     time.Time // by the clocks of the samples
	// Err is the cause. It wraps [context.DeadlineExceeded] when the provider
	// returned too late, [ErrBusy] when it has not returned, [ErrTooLarge],
	// [ErrSchema] when an object was not as declared, or [winperf.ErrState]
	// when it was written in the wrong order.
	Err   error
	Stack []byte // stack of a panic
	// Failures is the number of consecutive failures. It is 0 for a problem reported by a provider that
	// has not failed (see [Writer].Report).
	Failures int
	// Total is the number of the provider's failures since NewDispatcher.
	Total int
	// Pause is the time from Time until the provider may be called again. It is not called before it
	// has returned.
	Pause time.Duration
}

const (
	stageOpen    = "open"
	stageCollect = "collect"
	stageClose   = "close"
)

func (d *Dispatcher) fail(e *entry, stage string, err error) {
	pause := e.pauses.Fail(time.Now())
	if stage == stageClose {
		pause = 0
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
	d.report(e, p)
}

func (d *Dispatcher) report(e *entry, p Problem) {
	if d.opt.OnProblem == nil {
		return
	}
	p.Provider = e.name
	p.Total = e.failures
	p.Time = winperf.FromFiletime(d.opt.Clocks().Time100ns)
	d.opt.OnProblem(p)
}

func (d *Dispatcher) failOverdue(e *entry, r round, cause error) {
	d.fail(e, r.stage, fmt.Errorf("no answer within %v: %w", r.limit, cause))
}
