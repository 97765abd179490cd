package experiment

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/measure"
)

// EventSource emits events that no code of the program emits. If its interval can be changed, it also has the
// method WithInterval(time.Duration) EventSource, which returns the source with another interval.
type EventSource interface {
	// Describe returns what is known of the source. Implementations must allow concurrent calls.
	Describe() EventSourceInfo
	// Run emits events until ctx ends, or what they come from. The error is why it cannot go on;
	// a Change record tells it, and the experiment goes on without the source.
	Run(ctx context.Context, out *Emitter) error
}

// EventSourceInfo describes an event source.
type EventSourceInfo struct {
	Name   string // tells it from the others of an experiment; its events have it, or begin with it
	Kind   string // "interval", "lines", "process", "threshold", "instances", "signal", "child"
	Detail string // what it looks at, for people: "Process(editor*)"
	// Events are the names of its events, as far as they are known beforehand.
	Events []string
	// Interval is the time between two events or two looks; 0 for none.
	Interval time.Duration

	// Emitted, Running and Err are set by Experiment.Status: the number of its events, whether it runs, and why
	// it ended.
	Emitted uint64
	Running bool
	Err     error
}

// Emitter is how an event source emits its events, and what it can look at.
type Emitter struct {
	experiment *Experiment
	source     *eventSource
}

// Origins are the sources of the experiment, with what its bindings share.
func (o *Emitter) Origins() []sensor.Origin { return o.experiment.origins }

// Clock is the experiment's.
func (o *Emitter) Clock() measure.Clock { return o.experiment.clock }

// Event emits an event. As [Program.Event] does, it returns when its samples are begun.
func (o *Emitter) Event(ctx context.Context, name string, attrs ...Attr) {
	o.event(ctx, EventInfo{Name: name, Attrs: attrs})
}

// event emits an event that its source has filled in as far as it can.
func (o *Emitter) event(ctx context.Context, info EventInfo) {
	bindings := o.begin(&info)
	if len(bindings) > 0 {
		emitPoint(ctx, bindings, &info)
	}
}

// Region begins a region, as [Program.Region] does.
func (o *Emitter) Region(ctx context.Context, name string, attrs ...Attr) OpenRegion {
	info := EventInfo{Name: name, Attrs: attrs}
	bindings := o.begin(&info)
	if len(bindings) == 0 {
		return OpenRegion{}
	}
	_, r := beginRegion(ctx, bindings, &info)
	return r
}

// begin counts an event and finds its bindings.
func (o *Emitter) begin(info *EventInfo) []*binding {
	e := o.experiment
	info.Source, info.ID = o.source.kind, e.program.events.Add(1)
	o.source.mu.Lock()
	o.source.emitted++
	o.source.mu.Unlock()

	bindings := e.bound(info.Name)
	if e.opt.Public {
		e.program.learn(info.Name)
		bindings = append(bindings, e.boundElsewhere(o.source, info.Name)...)
	}
	return bindings
}

// boundElsewhere are the bindings of a public event in the other experiments of the program. One that has
// a source of that name has its own events in mind.
func (e *Experiment) boundElsewhere(s *eventSource, name string) (found []*binding) {
	a := e.program.attached.Load()
	if a == nil {
		return nil
	}
	for _, other := range a.experiments {
		if other != e && other.findSource(s.name) == nil {
			found = append(found, other.bound(name)...)
		}
	}
	return found
}

// eventSource is an event source of an experiment.
type eventSource struct {
	EventSource
	name, kind string

	mu      sync.Mutex
	emitted uint64
	err     error
	cancel  context.CancelFunc // nil: it does not run
	ended   chan struct{}
}

// addSources checks the event sources.
func (e *Experiment) addSources() error {
	for _, s := range e.opt.Events {
		info := s.Describe()
		if info.Name == "" {
			return fmt.Errorf("source of events (%s): expected a name", info.Kind)
		}
		if checker, ok := s.(interface{ check() error }); ok {
			if err := checker.check(); err != nil {
				return fmt.Errorf("source of events %q: %w", info.Name, err)
			}
		}
		if e.findSource(info.Name) != nil {
			return fmt.Errorf("experiment: two sources of events are called %q", info.Name)
		}
		e.sources = append(e.sources, &eventSource{EventSource: s, name: info.Name, kind: info.Kind})
	}
	return nil
}

func (e *Experiment) findSource(name string) *eventSource {
	for _, s := range e.sources {
		if strings.EqualFold(s.name, name) {
			return s
		}
	}
	return nil
}

// SourceEnded is the event of the Change record that tells that an event source has ended by itself; the
// attribute source is its name.
const SourceEnded = "source ended"

// start runs an event source beside all else.
func (e *Experiment) start(s *eventSource) {
	ctx, cancel := context.WithCancel(e.ctx)
	s.mu.Lock()
	s.cancel, s.ended, s.err = cancel, make(chan struct{}), nil
	ended := s.ended
	s.mu.Unlock()
	go func() {
		defer close(ended)
		err := s.Run(ctx, &Emitter{experiment: e, source: s})
		if ctx.Err() != nil {
			return // it was stopped
		}

		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
		attrs := []Attr{{"source", s.name}}
		if err != nil {
			attrs = append(attrs, Attr{"error", err.Error()})
		}
		e.tell(SourceEnded, attrs...)
	}()
}

// stop ends an event source and waits for that. It reports false where ctx ended first.
func (s *eventSource) stop(ctx context.Context) bool {
	s.mu.Lock()
	cancel, ended := s.cancel, s.ended
	s.cancel = nil
	s.mu.Unlock()
	if ended == nil {
		return true // it never ran
	}
	if cancel != nil { // else somebody told it before, and may not have waited so long
		cancel()
	}
	return await(ctx, ended)
}

// paced is an event source whose interval can be changed.
type paced interface {
	WithInterval(d time.Duration) EventSource
}

// SetInterval changes the interval of an event source, to 10 ms at least. It begins anew with it.
func (e *Experiment) SetInterval(name string, d time.Duration, attrs ...Attr) error {
	ctx, done, err := e.change(context.Background())
	if err != nil {
		return err
	}
	defer done()
	s, source, err := e.paced(name)
	if err != nil {
		return err
	}
	if d < schedule.Least {
		return fmt.Errorf("an interval of %v: expected %v or more", d, schedule.Least)
	}

	if !s.stop(ctx) {
		return e.unlessEnding(ctx.Err())
	}
	s.mu.Lock()
	s.EventSource = source.WithInterval(d)
	s.mu.Unlock()
	e.tell("interval changed", append([]Attr{{"source", s.name}, {"interval", d}}, attrs...)...)
	e.start(s)
	return nil
}

// CheckInterval returns the error that SetInterval would have now for a source of events.
func (e *Experiment) CheckInterval(name string) error {
	_, done, err := e.change(context.Background())
	if err != nil {
		return err
	}
	defer done()
	_, _, err = e.paced(name)
	return err
}

// paced finds a source of events with an interval. Whoever calls it has begun a change.
func (e *Experiment) paced(name string) (*eventSource, paced, error) {
	if s := e.State(); s != Attached && s != Paused {
		return nil, nil, fmt.Errorf("change of an experiment that is %v: %w", s, winperf.ErrState)
	}
	s := e.findSource(name)
	if s == nil {
		return nil, nil, unknown("source of events", name, suggest.Closest(name, e.sourceNames()))
	}
	source, ok := s.EventSource.(paced)
	if !ok {
		const form = "source of events %q (%s) has no interval: %w"
		return nil, nil, fmt.Errorf(form, s.name, s.kind, winperf.ErrNotSupported)
	}
	return s, source, nil
}

func (e *Experiment) sourceNames() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, s := range e.sources {
			if !yield(s.name) {
				return
			}
		}
	}
}
