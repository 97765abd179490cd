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

// EventSource emits events without code in the program. A source whose interval can be changed also has
// the method WithInterval(time.Duration) EventSource, which returns a copy with another interval.
type EventSource interface {
	// Describe returns a description of the source. It must allow concurrent calls.
	Describe() EventSourceInfo
	// Run emits events until ctx ends or the source has no more. An error ends the source, but not the
	// experiment; a Change record reports it.
	Run(ctx context.Context, out *Emitter) error
}

// EventSourceInfo describes an event source.
type EventSourceInfo struct {
	Name   string // unique in an experiment; names of its events are equal to it or begin with it
	Kind   string // "interval", "lines", "process", "threshold", "instances", "signal", "child"
	Detail string // the observed thing, for people: "Process(editor*)"
	// Events are the names of its events, if known in advance.
	Events []string
	// Interval is the time between two events or two samples; 0 for none.
	Interval time.Duration

	// Emitted, Running and Err are set by Experiment.Status: the number of its events, whether it runs,
	// and the error that ended it.
	Emitted uint64
	Running bool
	Err     error
}

// Emitter emits the events of an event source and gives access to the experiment.
type Emitter struct {
	experiment *Experiment
	source     *eventSource
}

// Origins returns the sources of the experiment. Sources shared by bindings are behind a cache.
func (o *Emitter) Origins() []sensor.Origin { return o.experiment.origins }

// Clock returns the experiment's clock.
func (o *Emitter) Clock() measure.Clock { return o.experiment.clock }

// Event emits an event. Like [Program.Event] it returns when the event's samples have begun.
func (o *Emitter) Event(ctx context.Context, name string, attrs ...Attr) {
	o.event(ctx, EventInfo{Name: name, Attrs: attrs})
}

func (o *Emitter) event(ctx context.Context, info EventInfo) {
	bindings := o.begin(&info)
	if len(bindings) > 0 {
		emitPoint(ctx, bindings, &info)
	}
}

// Region begins a region, like [Program.Region].
func (o *Emitter) Region(ctx context.Context, name string, attrs ...Attr) OpenRegion {
	info := EventInfo{Name: name, Attrs: attrs}
	bindings := o.begin(&info)
	if len(bindings) == 0 {
		return OpenRegion{}
	}
	_, r := beginRegion(ctx, bindings, &info)
	return r
}

func (o *Emitter) begin(info *EventInfo) []*binding {
	e := o.experiment
	info.Source, info.ID = o.source.kind, e.program.events.Add(1)
	o.source.mu.Lock()
	o.source.emitted++
	o.source.mu.Unlock()

	bindings := e.bound(info.Name)
	if e.opt.Public {
		e.program.remember(info.Name)
		bindings = append(bindings, e.boundElsewhere(o.source, info.Name)...)
	}
	return bindings
}

// boundElsewhere returns the bindings of a public event in the program's other experiments. Experiments
// that have an event source of the same name are excluded.
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

type eventSource struct {
	EventSource
	name, kind string

	mu      sync.Mutex
	emitted uint64
	err     error
	cancel  context.CancelFunc
	ended   chan struct{}
}

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

// SourceEnded is the event name of the Change record of an event source that ended; the attribute source
// has its name.
const SourceEnded = "source ended"

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
			return
		}

		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
		attrs := []Attr{{"source", s.name}}
		if err != nil {
			attrs = append(attrs, Attr{"error", err.Error()})
		}
		e.recordChange(SourceEnded, attrs...)
	}()
}

func (s *eventSource) stop(ctx context.Context) bool {
	s.mu.Lock()
	cancel, ended := s.cancel, s.ended
	s.cancel = nil
	s.mu.Unlock()
	if ended == nil {
		return true
	}
	if cancel != nil { // nil: an earlier stop cancelled it and may not have waited for the end
		cancel()
	}
	return await(ctx, ended)
}

type withInterval interface {
	WithInterval(d time.Duration) EventSource
}

// SetInterval restarts an event source with another interval, at least 10 ms.
func (e *Experiment) SetInterval(name string, d time.Duration, attrs ...Attr) error {
	ctx, done, err := e.change(context.Background())
	if err != nil {
		return err
	}
	defer done()
	s, source, err := e.withInterval(name)
	if err != nil {
		return err
	}
	if d < schedule.Least {
		return fmt.Errorf("an interval of %v: expected %v or more", d, schedule.Least)
	}

	if !s.stop(ctx) {
		return e.changeError(ctx.Err())
	}
	s.mu.Lock()
	s.EventSource = source.WithInterval(d)
	s.mu.Unlock()
	e.recordChange("interval changed", append([]Attr{{"source", s.name}, {"interval", d}}, attrs...)...)
	e.start(s)
	return nil
}

// CheckInterval returns the error that SetInterval would return for a valid interval.
func (e *Experiment) CheckInterval(name string) error {
	_, done, err := e.change(context.Background())
	if err != nil {
		return err
	}
	defer done()
	_, _, err = e.withInterval(name)
	return err
}

func (e *Experiment) withInterval(name string) (*eventSource, withInterval, error) {
	if s := e.State(); s != Attached && s != Paused {
		return nil, nil, fmt.Errorf("change of an experiment that is %v: %w", s, winperf.ErrState)
	}
	s := e.findSource(name)
	if s == nil {
		return nil, nil, unknown("source of events", name, suggest.Closest(name, e.sourceNames()))
	}
	source, ok := s.EventSource.(withInterval)
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
