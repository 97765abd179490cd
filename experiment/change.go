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

// recordChange stores a Change record.
func (e *Experiment) recordChange(what string, attrs ...Attr) {
	now := e.clock.Now().UTC()
	e.store.put(&e.changes, &Record{
		Experiment: e.name, Session: e.session, Kind: Change, Begun: now, Ended: now,
		Event: EventInfo{Name: what, Source: "experiment", Time: now, Attrs: attrs},
	})
}

// RecordChange stores a Change record about something outside the experiment, such as an added sink.
func (e *Experiment) RecordChange(what string, attrs ...Attr) { e.recordChange(what, attrs...) }

// Pause makes the experiment ignore events until Resume. Open regions can end.
func (e *Experiment) Pause(attrs ...Attr) error { return e.switchState(Attached, Paused, attrs) }

// Resume ends a pause.
func (e *Experiment) Resume(attrs ...Attr) error { return e.switchState(Paused, Attached, attrs) }

func (e *Experiment) switchState(from, to State, attrs []Attr) error {
	if err := e.lock(context.Background()); err != nil {
		return err
	}
	defer func() { <-e.changing }()
	switch s := e.State(); {
	case s == from:
	case s == Paused:
		return fmt.Errorf("the experiment is already paused: %w", winperf.ErrState)
	default:
		return fmt.Errorf("the experiment is %v, not %v: %w", s, from, winperf.ErrState)
	}
	e.state.Store(uint32(to))
	word := "paused"
	if to == Attached {
		word = "resumed"
	}
	e.recordChange(word, attrs...)
	return nil
}

// SetSensors replaces the sensors of a binding from the next event on. Open regions then have only values
// that need one sample. After an error nothing is changed.
func (e *Experiment) SetSensors(
	ctx context.Context, name string, paths []winperf.Path, sensors []sensor.Name, attrs ...Attr,
) error {
	ctx, done, err := e.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	b, err := e.attachedBinding(name)
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
		return e.changeError(fmt.Errorf("binding %q: %w", name, err))
	}
	if err := b.exchange(ctx, s, opt); err != nil {
		return e.changeError(err)
	}

	attrs = append([]Attr{{"binding", b.opt.Name}, {"sensors", strings.Join(*b.sensors.Load(), ", ")}}, attrs...)
	e.recordChange("sensors changed", attrs...)
	return nil
}

func (e *Experiment) attachedBinding(name string) (*binding, error) {
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

func unknown(what, name, closest string) error {
	if closest != "" {
		return fmt.Errorf("there is no %s %q (did you mean %q?): %w", what, name, closest, ErrUnknown)
	}
	return fmt.Errorf("there is no %s %q: %w", what, name, ErrUnknown)
}

// ErrUnknown reports a name that is not part of an experiment.
var ErrUnknown = errors.New("unknown name")
