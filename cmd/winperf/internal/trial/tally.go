package trial

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
)

// maxTallied bounds how many counters a Tally knows one by one.
const maxTallied = 100_000

// Tally counts what records tell besides their values. The zero Tally is empty.
type Tally struct {
	Failed    int                         // records without values
	Reason    string                      // of the first of them
	Anomalies map[winperf.AnomalyKind]int // by kind
	Switched  int                         // values of another process or instance than the previous record had
	SwitchOf  Silence                     // the first of them, without its status
	Suspended time.Duration               // of the machine, within regions
	Gaps      int                         // regions with such a gap
	Pauses    int                         // of the experiment
	Paused    time.Duration               // in all pauses

	began  time.Time                  // of the pause that goes on; zero for none
	runs   map[tallied]bool           // by event and repetition, those with a record
	values map[tallied]counter.Status // OK of what ever had a value
	missed map[tallied]int            // by event and binding
}

// tallied is a counter of an instance, or a binding, at an event.
type tallied struct{ event, of, source string }

// suspended is the attribute of a region in which the machine was suspended.
const suspended = "suspended"

// Add counts a record.
func (t *Tally) Add(r *experiment.Record) {
	if r.Kind == experiment.Change {
		t.change(&r.Event)
	}
	if r.Kind != experiment.Point && r.Kind != experiment.Span {
		return
	}
	if t.Anomalies == nil {
		t.Anomalies, t.values = map[winperf.AnomalyKind]int{}, map[tallied]counter.Status{}
		t.missed, t.runs = map[tallied]int{}, map[tallied]bool{}
	}

	if r.Kind == experiment.Span {
		t.region(&r.Event)
	}
	if n := r.Event.Missed; n > 0 {
		t.missed[tallied{event: r.Event.Name, of: r.Binding}] += n
	}
	if r.Err != "" {
		if t.Failed++; t.Failed == 1 {
			t.Reason = r.Err
		}
	}
	for i := range r.Anomalies {
		t.Anomalies[r.Anomalies[i].Kind]++
	}
	for _, a := range r.Event.Attrs {
		if d, ok := a.Value.(time.Duration); ok && a.Key == suspended {
			t.Suspended, t.Gaps = t.Suspended+d, t.Gaps+1
		}
	}
	for i := range r.Values {
		t.value(r.Event.Name, &r.Values[i])
	}
}

// change notes how long the experiment was paused. A pause that nobody ended lasts to the end.
func (t *Tally) change(e *experiment.EventInfo) {
	switch e.Name {
	case "paused":
		t.Pauses, t.began = t.Pauses+1, e.Time
	case "resumed", "detached":
		if !t.began.IsZero() {
			t.Paused += e.Time.Sub(t.began)
		}
		t.began = time.Time{}
	}
}

// region notes that a run has a record. Regions of others do not come from code.
func (t *Tally) region(e *experiment.EventInfo) {
	if e.Source != "code" {
		return
	}
	for _, a := range e.Attrs {
		if a.Key == attrRepetition && len(t.runs) < maxRuns {
			t.runs[tallied{event: e.Name, of: fmt.Sprint(a.Value)}] = true
		}
	}
}

// unrecorded is how many runs have no record, though a binding is for them: the experiment was paused or
// ended, or the record was dropped.
func (t *Tally) unrecorded(runs []*Result, bindings []experiment.Binding) (n int) {
	for _, r := range runs {
		bound := slices.ContainsFunc(bindings, func(b experiment.Binding) bool {
			return (b.Aggregate == nil || !b.Aggregate.Only) && slices.ContainsFunc(b.Events, func(text string) bool {
				pattern := winperf.CompilePattern(text)
				return pattern.Match(r.event())
			})
		})
		if bound && !t.runs[tallied{event: r.event(), of: strconv.Itoa(r.Repetition)}] {
			n++
		}
	}
	return n
}

// value notes whether a counter had a value, or the difference of a region.
func (t *Tally) value(event string, v *experiment.Value) {
	key, status := tallied{event, v.Path, v.Source}, v.Status
	if v.HasDifference {
		status = counter.OK
	}
	before, known := t.values[key]
	if known && (v.Touched.Has(winperf.InstancesCame) || v.Touched.Has(winperf.InstancesRenamed)) {
		if t.Switched++; t.Switched == 1 {
			t.SwitchOf = Silence{Event: event, Path: v.Path, Source: v.Source}
		}
	}
	if known && before == counter.OK || !known && len(t.values) >= maxTallied {
		return
	}
	t.values[key] = status
}

// Missed is how many events of intervals were due and could not be emitted, by their names. Each binding
// of an event has records that tell it, if they were not dropped.
func (t *Tally) Missed() map[string]int {
	all := map[string]int{}
	for key, n := range t.missed {
		all[key.event] = max(all[key.event], n)
	}
	return all
}

// Silence is a counter that never had a value at an event, and why not, the last time.
type Silence struct {
	Event, Path string
	Source      string // of an experiment with several
	Status      counter.Status
}

// Silent are the counters that never had a value, in the order of their events and paths. Those of which
// some instances had one are left out, and others are told once for all instances; but an instance that was
// asked for by its name and never came is told by itself.
func (t *Tally) Silent() (all []Silence) {
	spoke := map[tallied]bool{}
	for key, status := range t.values {
		if status == counter.OK {
			key.of = key.allInstances()
			spoke[key] = true
		}
	}

	told := map[tallied]counter.Status{}
	for key, status := range t.values {
		general := tallied{key.event, key.allInstances(), key.source}
		switch {
		case status == counter.OK:
		case status == counter.NoInstance && !strings.ContainsAny(key.of, "*?"):
			told[key] = status
		case !spoke[general]:
			told[general] = status
		}
	}
	for key, status := range told {
		all = append(all, Silence{key.event, key.of, key.source, status})
	}
	slices.SortFunc(all, func(a, b Silence) int {
		return slices.Compare([]string{a.Event, a.Path, a.Source}, []string{b.Event, b.Path, b.Source})
	})
	return all
}

// allInstances is the path of the counter for all instances of its object.
func (t tallied) allInstances() string {
	p, err := winperf.ParsePath(t.of)
	if err != nil || !p.HasInstance {
		return t.of
	}
	p.Instance, p.Index = "*", 0
	return p.String()
}

// AnomaliesText lists how often there were anomalies of each kind; "" for none.
func (t *Tally) AnomaliesText() string {
	var all []string
	for kind, n := range t.Anomalies {
		all = append(all, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// tallying counts records on their way from an experiment to their delivery.
type tallying struct {
	delivery.Records
	tally   *Tally
	sources int           // of events that go on
	idle    chan struct{} // is closed when the last of them has ended by itself
}

// Next implements [delivery.Records].
func (t *tallying) Next(ctx context.Context, n int) ([]*experiment.Record, error) {
	records, err := t.Records.Next(ctx, n)
	for _, r := range records {
		t.tally.Add(r)
		if r.Kind == experiment.Change && r.Event.Name == experiment.SourceEnded {
			if t.sources--; t.sources == 0 {
				close(t.idle)
			}
		}
	}
	return records, err
}
