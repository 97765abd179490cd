package experiment

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
)

// State is what an experiment does.
type State uint8

// The states. What is paused emits no events, but ends regions that are open.
const (
	Ready    State = iota // not attached yet
	Attached              // events are measured
	Paused                // events are passed over
	Detached              // it is over
)

var stateWords = [...]string{"ready", "attached", "paused", "detached"}

// String returns the state's word: "ready", "attached", "paused" or "detached".
func (s State) String() string {
	if int(s) < len(stateWords) {
		return stateWords[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// Experiment measures sensors at events and keeps a record of each, until delivery takes it.
// It may be used from any goroutine.
type Experiment struct {
	name, session string
	opt           Options
	program       *Program
	clock         measure.Clock
	origins       []sensor.Origin  // with an object cache in front, where bindings share
	shared        []winperf.Source // those of the program's experiments
	bindings      []*binding
	sources       []*eventSource
	store         *store
	operands      operands
	changes       quota // of Change records

	ctx    context.Context // of all that it does
	cancel context.CancelFunc
	state  atomic.Uint32
	spills chan struct{} // closed when the spool's loop has ended

	changing chan struct{}   // holds a value while the experiment is changed
	ending   context.Context // of changes: it ends when somebody wants to detach
	end      context.CancelFunc
	attached time.Time
}

// New returns an experiment, which nothing happens to until it is attached. It checks all that
// can be checked without a sample: the error says what is wrong with the options.
func New(opt Options) (*Experiment, error) {
	e := &Experiment{
		name: opt.Name, opt: opt, program: opt.Program, session: newSession(),
		clock: schedule.OrSystem(opt.Clock), changes: quota{policy: DropOldest, capacity: maxChanges, room: maxChanges},
		changing: make(chan struct{}, 1),
	}
	e.ending, e.end = context.WithCancel(context.Background())
	if e.name == "" {
		e.name = "experiment"
	}
	if e.program == nil {
		e.program = Process()
	}
	if e.operands.bound = opt.Operands; e.operands.bound <= 0 {
		e.operands.bound = 500_000
	}

	if err := e.addBindings(); err != nil {
		return nil, err
	}
	if err := e.addSources(); err != nil {
		return nil, err
	}
	return e, nil
}

// maxChanges bounds the Change records that wait to be taken.
const maxChanges = 1000

func newSession() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

// addBindings checks the bindings and makes them.
func (e *Experiment) addBindings() error {
	switch {
	case len(e.opt.Sources) == 0:
		return errors.New("experiment: expected a source to measure")
	case len(e.opt.Bindings) == 0:
		return errors.New("experiment: expected a binding of events to sensors")
	}

	capacity := 0
	for i := range e.opt.Bindings {
		b, err := e.newBinding(e.opt.Bindings[i])
		if err != nil {
			return err
		}
		if e.find(b.opt.Name) != nil {
			return fmt.Errorf("experiment: two bindings are called %q", b.opt.Name)
		}
		e.bindings = append(e.bindings, b)
		capacity += b.quota.capacity
	}
	e.store = newStore(&e.opt, capacity)
	return nil
}

func (e *Experiment) newBinding(opt Binding) (*binding, error) {
	if opt.Name == "" && len(opt.Events) > 0 {
		opt.Name = opt.Events[0]
	}
	switch {
	case len(opt.Events) == 0:
		return nil, fmt.Errorf("binding %q: expected the name of an event, or a pattern", opt.Name)
	case len(opt.Paths)+len(opt.Sensors) == 0:
		return nil, fmt.Errorf("binding %q: expected a path or a sensor to measure", opt.Name)
	case opt.Policy > Spill:
		return nil, fmt.Errorf("binding %q: there is no policy %d", opt.Name, opt.Policy)
	case opt.Policy == Spill && e.opt.Spool == nil:
		return nil, fmt.Errorf("binding %q: its policy needs a spool, and there is none", opt.Name)
	}

	b := &binding{
		experiment: e, opt: opt, quota: quota{policy: opt.Policy, capacity: opt.Capacity, room: opt.Room},
		queue: make(chan *ticket, queueLength), control: make(chan func()),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	b.describe()
	if b.quota.capacity <= 0 {
		b.quota.capacity = 10_000
	}
	if b.quota.room <= 0 {
		b.quota.room = 500_000
	}
	for _, text := range opt.Events {
		b.patterns = append(b.patterns, winperf.CompilePattern(text))
	}
	if opt.Aggregate != nil {
		s, err := newSummaries(*opt.Aggregate)
		if err != nil {
			return nil, fmt.Errorf("binding %q: %w", opt.Name, err)
		}
		b.summary = s
	}
	return b, nil
}

// find returns the binding of a name, nil for none.
func (e *Experiment) find(name string) *binding {
	for _, b := range e.bindings {
		if strings.EqualFold(b.opt.Name, name) {
			return b
		}
	}
	return nil
}

// bound are the bindings of an event.
func (e *Experiment) bound(name string) []*binding {
	var found []*binding
	for _, b := range e.bindings {
		if slices.ContainsFunc(b.patterns, func(p winperf.Pattern) bool { return p.Match(name) }) {
			found = append(found, b)
		}
	}
	return found
}

// Attach begins the experiment: it compiles what the bindings measure, takes the sample that the
// first values are compared with, and listens to events from then on. ctx bounds this and not the
// experiment. After an error nothing is attached, and Attach can be tried again.
func (e *Experiment) Attach(ctx context.Context) error {
	ctx, done, err := e.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	if s := e.State(); s != Ready {
		return fmt.Errorf("attach of an experiment that is %v: %w", s, winperf.ErrState)
	}

	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.share()
	if err := e.open(ctx); err != nil {
		e.unshare()
		e.cancel()
		return e.unlessEnding(err)
	}

	e.attached = e.clock.Now().UTC()
	e.state.Store(uint32(Attached))
	e.tell("attached")

	// Whoever serves comes before whoever emits.
	e.spills = make(chan struct{})
	go func() {
		defer close(e.spills)
		if e.opt.Spool != nil {
			e.store.spillLoop(e.ctx)
		}
	}()
	for _, b := range e.bindings {
		go b.run()
	}
	e.program.attach(e)
	for _, s := range e.sources {
		if e.opt.Public {
			e.program.Declare(s.Describe().Events...)
		}
		e.start(s)
	}
	return nil
}

// change begins a change, one at a time. Its context ends when the experiment is to end, too.
func (e *Experiment) change(ctx context.Context) (_ context.Context, done func(), _ error) {
	if err := e.lock(ctx); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.ending, cancel)
	return ctx, func() {
		stop()
		cancel()
		<-e.changing
	}, nil
}

// lock waits until nobody else changes the experiment, or until ctx ends.
func (e *Experiment) lock(ctx context.Context) error {
	select {
	case e.changing <- struct{}{}:
		return nil
	default:
	}
	select {
	case e.changing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// unlessEnding returns why a change failed.
func (e *Experiment) unlessEnding(err error) error {
	if err != nil && e.ending.Err() != nil {
		return fmt.Errorf("the experiment ends: %w", winperf.ErrState)
	}
	return err
}

// open makes the measurement contexts of all bindings.
func (e *Experiment) open(ctx context.Context) error {
	for i, b := range e.bindings {
		if err := b.open(ctx); err != nil {
			for _, opened := range e.bindings[:i] {
				opened.close()
			}
			return fmt.Errorf("binding %q: %w", b.opt.Name, err)
		}
	}
	return nil
}

// State is what the experiment does now.
func (e *Experiment) State() State { return State(e.state.Load()) }

// measuring reports whether events are measured.
func (e *Experiment) measuring() bool { return e.State() == Attached }

// Name and Session are what its records carry.
func (e *Experiment) Name() string { return e.name }

// Session tells this run of the experiment from all others.
func (e *Experiment) Session() string { return e.session }

// stamp gives an event its time and its names in other systems, which other experiments have others of.
func (e *Experiment) stamp(ctx context.Context, info *EventInfo) {
	info.Time = e.clock.Now().UTC()
	info.Trace, info.SpanID, info.Task = "", "", ""
	if e.opt.Links != nil {
		info.Trace, info.SpanID, info.Task = e.opt.Links(ctx)
	}
}

// Next returns the oldest records that it did not return yet, up to max, and waits until there is
// one. At the end of the experiment, when all were returned, the error is io.EOF. Missing numbers
// are those of records that were stored and dropped later.
func (e *Experiment) Next(ctx context.Context, max int) ([]*Record, error) {
	records, err := e.store.next(ctx, max)
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return nil, fmt.Errorf("records that were spilled: %w", err)
	}
	return records, err
}

// Done says that the records up to a number were delivered, so that the Spool can forget them.
func (e *Experiment) Done(through uint64) error { return e.store.forget(through) }
