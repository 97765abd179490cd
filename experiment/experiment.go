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

// State is the state of an experiment.
type State uint8

// The states.
const (
	Ready    State = iota // not attached yet
	Attached              // events are measured
	Paused                // events are ignored; open regions can end
	Detached              // ended
)

var stateWords = [...]string{"ready", "attached", "paused", "detached"}

// String returns "ready", "attached", "paused" or "detached".
func (s State) String() string {
	if int(s) < len(stateWords) {
		return stateWords[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// Experiment measures sensors at events and keeps the records until they are delivered. It may be used
// from any goroutine.
type Experiment struct {
	name, session string
	opt           Options
	program       *Program
	clock         measure.Clock
	origins       []sensor.Origin  // sources, with an object cache in front if bindings share them
	shared        []winperf.Source // sources registered with the program
	bindings      []*binding
	sources       []*eventSource
	store         *store
	operands      operands
	changes       quota // for Change records

	ctx    context.Context
	cancel context.CancelFunc
	state  atomic.Uint32
	spills chan struct{}

	changing chan struct{}
	ending   context.Context // ends when Detach is called, to cancel changes
	end      context.CancelFunc
	attached time.Time
}

// New returns an experiment in the state Ready. It checks everything that needs no sample; the error
// describes the invalid option.
func New(opt Options) (*Experiment, error) {
	e := &Experiment{
		name: opt.Name, opt: opt, program: opt.Program, session: newSession(),
		clock:    schedule.OrSystem(opt.Clock),
		changes:  quota{policy: DropOldest, capacity: maxChanges, maxValues: maxChanges},
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

const maxChanges = 1000

func newSession() string {
	var id [16]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

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
		return nil, fmt.Errorf("binding %q: unknown policy %d", opt.Name, opt.Policy)
	case opt.Policy == Spill && e.opt.Spool == nil:
		return nil, fmt.Errorf("binding %q: the policy spill needs Options.Spool", opt.Name)
	}

	b := &binding{
		experiment: e, opt: opt, quota: quota{policy: opt.Policy, capacity: opt.Capacity, maxValues: opt.MaxValues},
		queue: make(chan *ticket, queueLength), control: make(chan func()),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	b.describe()
	if b.quota.capacity <= 0 {
		b.quota.capacity = 10_000
	}
	if b.quota.maxValues <= 0 {
		b.quota.maxValues = 500_000
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

func (e *Experiment) find(name string) *binding {
	for _, b := range e.bindings {
		if strings.EqualFold(b.opt.Name, name) {
			return b
		}
	}
	return nil
}

func (e *Experiment) bound(name string) []*binding {
	var found []*binding
	for _, b := range e.bindings {
		if slices.ContainsFunc(b.patterns, func(p winperf.Pattern) bool { return p.Match(name) }) {
			found = append(found, b)
		}
	}
	return found
}

// Attach begins the experiment: it compiles the bindings, takes a first sample as the base of later
// values, and begins to serve events. ctx limits Attach, not the experiment. After an error nothing is
// attached, and Attach can be tried again.
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
		return e.changeError(err)
	}

	e.attached = e.clock.Now().UTC()
	e.state.Store(uint32(Attached))
	e.recordChange("attached")

	// The bindings must run before events are emitted.
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

// change begins a change, one at a time. The returned context also ends when Detach is called.
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

// changeError returns err, or ErrState if the change failed because Detach was called.
func (e *Experiment) changeError(err error) error {
	if err != nil && e.ending.Err() != nil {
		return fmt.Errorf("the experiment is being detached: %w", winperf.ErrState)
	}
	return err
}

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

// State returns the current state.
func (e *Experiment) State() State { return State(e.state.Load()) }

func (e *Experiment) measuring() bool { return e.State() == Attached }

// Name returns the experiment's name in records.
func (e *Experiment) Name() string { return e.name }

// Session returns the unique id of this run in records.
func (e *Experiment) Session() string { return e.session }

// stamp sets the time of an event and its names in other systems, which depend on the experiment.
func (e *Experiment) stamp(ctx context.Context, info *EventInfo) {
	info.Time = e.clock.Now().UTC()
	info.Trace, info.SpanID, info.Task = "", "", ""
	if e.opt.Links != nil {
		info.Trace, info.SpanID, info.Task = e.opt.Links(ctx)
	}
}

// Next returns up to max of the oldest records not returned before. It waits until at least one is
// available. After the last record of a detached experiment the error is io.EOF.
func (e *Experiment) Next(ctx context.Context, max int) ([]*Record, error) {
	records, err := e.store.next(ctx, max)
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return nil, fmt.Errorf("reading spilled records: %w", err)
	}
	return records, err
}

// Done removes the records up to a number, which were delivered, from the Spool.
func (e *Experiment) Done(through uint64) error { return e.store.forget(through) }
