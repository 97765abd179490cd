package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/suggest"
)

// tell stores a Change record.
func (e *Experiment) tell(what string, attrs ...Attr) {
	now := e.clock.Now().UTC()
	e.store.put(&e.changes, &Record{
		Experiment: e.name, Session: e.session, Kind: Change, Begun: now, Ended: now,
		Event: EventInfo{Name: what, Source: "experiment", Time: now, Attrs: attrs},
	})
}

// Pause passes over events until Resume. Regions that are open can end.
func (e *Experiment) Pause(attrs ...Attr) error { return e.turn(Attached, Paused, attrs) }

// Resume ends a pause.
func (e *Experiment) Resume(attrs ...Attr) error { return e.turn(Paused, Attached, attrs) }

// turn goes from one state to another and tells it.
func (e *Experiment) turn(from, to State, attrs []Attr) error {
	if err := e.lock(context.Background()); err != nil {
		return err
	}
	defer func() { <-e.changing }()
	if s := e.State(); s != from {
		return fmt.Errorf("expected an experiment that is %v, and it is %v: %w", from, s, winperf.ErrState)
	}
	e.state.Store(uint32(to))
	word := "paused"
	if to == Attached {
		word = "resumed"
	}
	e.tell(word, attrs...)
	return nil
}

// SetSensors makes a binding measure something else from the next event on. Regions that are open then
// have values only of what needs no begin, whether or not it was measured before. After an error all is as
// it was.
func (e *Experiment) SetSensors(
	ctx context.Context, name string, paths []winperf.Path, sensors []sensor.Name, attrs ...Attr,
) error {
	ctx, done, err := e.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	b, err := e.wanted(name)
	if err != nil {
		return err
	}

	opt := b.opt
	opt.Paths, opt.Sensors = paths, sensors
	if len(paths)+len(sensors) == 0 {
		return fmt.Errorf("binding %q: expected a path or a sensor to measure", name)
	}
	s, _, err := e.newSampler(ctx, &opt)
	if err != nil {
		return e.unlessEnding(fmt.Errorf("binding %q: %w", name, err))
	}
	if err := b.exchange(ctx, s, opt); err != nil {
		return e.unlessEnding(err)
	}

	attrs = append([]Attr{{"binding", b.opt.Name}, {"sensors", strings.Join(*b.sensors.Load(), ", ")}}, attrs...)
	e.tell("sensors changed", attrs...)
	return nil
}

// wanted finds a binding of an experiment that is attached.
func (e *Experiment) wanted(name string) (*binding, error) {
	if s := e.State(); s != Attached && s != Paused {
		return nil, fmt.Errorf("change of an experiment that is %v: %w", s, winperf.ErrState)
	}
	if b := e.find(name); b != nil {
		return b, nil
	}

	names := func(yield func(string) bool) {
		for _, b := range e.bindings {
			if !yield(b.opt.Name) {
				return
			}
		}
	}
	return nil, unknown("binding", name, suggest.Closest(name, names))
}

// unknown says that there is nothing of a name, and what may have been meant.
func unknown(what, name, closest string) error {
	if closest != "" {
		return fmt.Errorf("there is no %s %q (did you mean %q?): %w", what, name, closest, ErrUnknown)
	}
	return fmt.Errorf("there is no %s %q: %w", what, name, ErrUnknown)
}

// ErrUnknown says that an experiment has nothing of a name.
var ErrUnknown = errors.New("unknown name")
