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
	"github.com/winperf/winperf/internal/sorted"
)

const maxTallied = 100_000

// Tally summarizes records without their values. The zero Tally is empty.
type Tally struct {
	Failed    int                         // records without values
	Reason    string                      // of the first one
	Anomalies map[winperf.AnomalyKind]int // by kind
	Switched  int                         // values from another process or instance than in the previous record
	SwitchOf  Silence                     // the first one, without its status
	Suspended time.Duration               // time that the machine was suspended within regions
	Gaps      int                         // number of regions with a suspension
	Pauses    int                         // number of pauses of the experiment
	Paused    time.Duration               // total time

	began  time.Time                  // begin of the current pause, or zero
	runs   map[tallied]bool           // by event and repetition: runs with a record
	values map[tallied]counter.Status // OK for counters that ever had a value
	missed map[tallied]int            // by event and binding
}

type tallied struct{ event, of, source string }

const suspended = "suspended"

// Add adds a record.
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

// change records pauses of the experiment. A pause without an end lasts until the end.
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

// region records that a run has a record. Regions of other origins do not come from code.
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

// unrecorded returns the number of runs without a record although a binding measures them: the experiment
// was paused or ended, or the record was dropped.
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

func (t *Tally) value(event string, v *experiment.Value) {
	key, status := tallied{event, v.Path, v.Source}, v.Status
	if v.HasDifference {
		status = counter.OK
	}
	before, known := t.values[key]
	if known && (v.Touched.Has(winperf.InstancesAdded) || v.Touched.Has(winperf.InstancesRenamed)) {
		if t.Switched++; t.Switched == 1 {
			t.SwitchOf = Silence{Event: event, Path: v.Path, Source: v.Source}
		}
	}
	if known && before == counter.OK || !known && len(t.values) >= maxTallied {
		return
	}
	t.values[key] = status
}

// Missed returns the numbers of missed interval events by name. Every record of such an event has them.
func (t *Tally) Missed() map[string]int {
	all := map[string]int{}
	for key, n := range t.missed {
		all[key.event] = max(all[key.event], n)
	}
	return all
}

// Silence is a counter that never had a value at an event, and its last status.
type Silence struct {
	Event, Path string
	Source      string // set for experiments with several sources
	Status      counter.Status
}

// Silent returns the counters that never had a value, ordered by event and path. Instances of a counter
// are combined to one entry, which is omitted if some of them had a value. Instances requested by name
// have their own entry.
func (t *Tally) Silent() (all []Silence) {
	spoke := map[tallied]bool{}
	for key, status := range t.values {
		if status == counter.OK {
			key.of = key.allInstances()
			spoke[key] = true
		}
	}

	statuses := map[tallied]counter.Status{}
	for key, status := range t.values {
		general := tallied{key.event, key.allInstances(), key.source}
		switch {
		case status == counter.OK:
		case status == counter.NoInstance && !strings.ContainsAny(key.of, "*?"):
			statuses[key] = status
		case !spoke[general]:
			statuses[general] = status
		}
	}
	for key, status := range statuses {
		all = append(all, Silence{key.event, key.of, key.source, status})
	}
	sorted.Func(all, func(a, b Silence) int {
		return slices.Compare([]string{a.Event, a.Path, a.Source}, []string{b.Event, b.Path, b.Source})
	})
	return all
}

func (t tallied) allInstances() string {
	p, err := winperf.ParsePath(t.of)
	if err != nil || !p.HasInstance {
		return t.of
	}
	p.Instance, p.Index = "*", 0
	return p.String()
}

// AnomaliesText lists the numbers of anomalies of each kind, or "".
func (t *Tally) AnomaliesText() string {
	var all []string
	for kind, n := range t.Anomalies {
		all = append(all, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

type tallying struct {
	delivery.Records
	tally   *Tally
	sources int           // number of running event sources
	idle    chan struct{} // closed when the last one has ended
}

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
