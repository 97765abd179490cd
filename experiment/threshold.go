package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/measure"
)

// Threshold emits an event when a counter has been above a bound for some time, NAME.begin, and when it
// is back, NAME.end. It takes a sample at every interval. Each instance of a path with wildcards is
// checked separately.
type Threshold struct {
	Name string
	Path winperf.Path
	// Bound is the bound. Below reverses it: values below the bound count.
	Bound float64
	Below bool
	// Hysteresis is the distance from the bound at which a value is back; 0 means at the bound.
	Hysteresis float64
	// For is the time that values must be beyond the bound without a break.
	For time.Duration
	// Origin is the name of the source, "" the first.
	Origin string
	// Every is the time between two samples; 0 means one second.
	Every time.Duration
}

// Describe implements [EventSource].
func (t Threshold) Describe() EventSourceInfo {
	word := "above"
	if t.Below {
		word = "below"
	}
	return EventSourceInfo{
		Name: t.Name, Kind: "threshold", Detail: fmt.Sprintf("%s %s %g", t.Path, word, t.Bound),
		Events: []string{t.Name + ".begin", t.Name + ".end"}, Interval: schedule.Interval(t.Every),
	}
}

// WithInterval returns a copy with another interval.
func (t Threshold) WithInterval(d time.Duration) EventSource {
	t.Every = d
	return t
}

func (t Threshold) check() error {
	switch {
	case math.IsNaN(t.Bound) || math.IsInf(t.Bound, 0):
		return errors.New("expected a bound that is a number")
	case !(t.Hysteresis >= 0) || math.IsInf(t.Hysteresis, 0):
		return errors.New("expected a hysteresis of 0 or more")
	case t.For < 0:
		return errors.New("expected a time of 0 or more")
	}
	return t.Path.Validate()
}

func (t Threshold) reads() {}

// Run implements [EventSource].
func (t Threshold) Run(ctx context.Context, out *Emitter) error {
	w := watched{rule: t, all: map[lastingID]*crossing{}}
	clock := out.Clock()
	return look(ctx, out, t.Origin, t.Path, t.Every, func(c *measure.Cycle) {
		for _, e := range w.see(c, clock.Elapsed()) {
			out.Event(ctx, e.name, e.attrs...)
		}
	})
}

type watched struct {
	rule  Threshold
	all   map[lastingID]*crossing
	looks int
}

type crossing struct {
	path   string
	beyond bool          // beyond the bound since
	since  time.Duration // this look, without a break
	begun  bool
	look   int // number of the last look that found the series
}

type crossed struct {
	name, path string
	attrs      []Attr
}

func (w *watched) see(c *measure.Cycle, now time.Duration) (events []crossed) {
	w.looks++
	columns := c.Columns()
	for i := range columns {
		col := &columns[i]
		for n, s := range col.AllSeries() {
			if s.ObjectID == (winperf.ObjectID{}) {
				continue
			}
			v, ok := col.Value(n).Float64()
			if e, is := w.step(s, v, ok && col.Status[n] == counter.OK, now); is {
				events = append(events, e)
			}
		}
	}
	return append(events, w.removed(now)...)
}

func (w *watched) step(s *winperf.Series, v float64, known bool, now time.Duration) (crossed, bool) {
	id := idOf(s).lasting()
	x := w.all[id]
	if x == nil {
		x = &crossing{path: s.Path.String()}
		w.all[id] = x
	}
	x.look = w.looks

	switch {
	case !known: // a missing value is a break before the event, but does not end it
		x.beyond = x.beyond && x.begun
		return crossed{}, false
	case x.begun && w.rule.back(v):
		x.begun, x.beyond = false, false
		return w.event(".end", x, now, Attr{"value", v}), true
	case !w.rule.beyond(v):
		x.beyond = x.begun
		return crossed{}, false
	case !x.beyond:
		x.beyond, x.since = true, now
	}

	if x.begun || now-x.since < w.rule.For {
		return crossed{}, false
	}
	x.begun = true
	return w.event(".begin", x, now, Attr{"value", v}), true
}

func (t *Threshold) beyond(v float64) bool {
	if t.Below {
		return v < t.Bound
	}
	return v > t.Bound
}

func (t *Threshold) back(v float64) bool {
	if t.Below {
		return v >= t.Bound+t.Hysteresis
	}
	return v <= t.Bound-t.Hysteresis
}

// removed ends the events of series that this look did not find.
func (w *watched) removed(now time.Duration) (events []crossed) {
	for id, x := range w.all {
		if x.look == w.looks {
			continue
		}
		delete(w.all, id)
		if x.begun {
			events = append(events, w.event(".end", x, now, Attr{"gone", true}))
		}
	}
	sorted.Func(events, func(a, b crossed) int { return strings.Compare(a.path, b.path) })
	return events
}

func (w *watched) event(what string, x *crossing, now time.Duration, more Attr) crossed {
	return crossed{w.rule.Name + what, x.path, []Attr{{"path", x.path}, {"for", now - x.since}, more}}
}
