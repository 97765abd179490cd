package experiment

import (
	"cmp"
	"errors"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/stats"
)

type summaries struct {
	opt Aggregate

	mu     sync.Mutex
	group  stats.Group
	events map[string]*summary
	series int
	begin  time.Time // of the first record
}

type summary struct {
	first, last time.Time
	records     int
	passed      int
	values      map[summaryKey]*seriesSummary
}

// summaryKey identifies a series; differences are separate series.
type summaryKey struct {
	path       string
	source     string
	difference bool
}

type seriesSummary struct {
	series *winperf.Series
	unit   counter.Unit
	all    *stats.Series
}

func newSummaries(opt Aggregate) (*summaries, error) {
	if opt.Percentiles == nil {
		opt.Percentiles = []float64{50, 95, 99}
	}
	for _, p := range opt.Percentiles {
		if !(p >= 0 && p <= 100) {
			return nil, errors.New("expected percentiles between 0 and 100")
		}
	}
	if opt.Confidence == 0 {
		opt.Confidence = 0.95
	}
	if !(opt.Confidence > 0 && opt.Confidence < 1) {
		return nil, errors.New("expected a confidence between 0 and 1")
	}
	if opt.Series <= 0 {
		opt.Series = 10_000
	}
	return &summaries{opt: opt, events: map[string]*summary{}}, nil
}

// add adds the values of a record. It returns false if there are too many event names.
func (s *summaries) add(r *Record) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begin.IsZero() {
		s.begin = r.Begun
	}
	of := s.events[r.Event.Name]
	if of == nil {
		if len(s.events) >= s.opt.Series {
			return false
		}
		of = &summary{first: r.Begun, values: map[summaryKey]*seriesSummary{}}
		s.events[r.Event.Name] = of
	}

	of.records++
	of.last = r.Ended
	at := r.Begun.Sub(s.begin)
	for i := range r.Values {
		s.addValue(of, &r.Values[i], at)
	}
	return true
}

// addValue adds a displayed value, or its absence, and the difference of a region. It ignores texts.
func (s *summaries) addValue(of *summary, v *Value, at time.Duration) {
	if f, isNumber := v.Value.Float64(); isNumber || v.Status != counter.OK {
		if to := s.to(of, v, false); to != nil && v.Status == counter.OK {
			to.Add(at, f)
		} else if to != nil {
			to.Miss(at)
		}
	}
	if v.HasDifference {
		if to := s.to(of, v, true); to != nil {
			grown, _ := v.Grown()
			to.Add(at, grown)
		}
	}
}

func (s *summaries) to(of *summary, v *Value, difference bool) *stats.Series {
	key := summaryKey{v.Path, v.Source, difference}
	if known := of.values[key]; known != nil {
		return known.all
	}
	if s.series >= s.opt.Series {
		of.passed++
		return nil
	}

	s.series++
	unit := v.Unit
	if difference {
		_, unit = v.Grown()
	}
	made := &seriesSummary{series: v.Series, unit: unit, all: s.group.Series(false)}
	of.values[key] = made
	return made.all
}

func (s *summaries) records(b *binding) []*Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*Record
	for name, of := range s.events {
		r := &Record{
			Experiment: b.experiment.name, Session: b.experiment.session, Binding: b.opt.Name,
			Kind: Summary, Begun: of.first, Ended: of.last,
			Event: EventInfo{
				Name: name, Source: "experiment", Time: of.first, Duration: of.last.Sub(of.first),
				Attrs: []Attr{{"records", int64(of.records)}, {"values passed over", int64(of.passed)}},
			},
		}

		for key, v := range of.values {
			r.Values = append(r.Values, v.value(&s.opt, key))
		}
		sorted.Func(r.Values, compareValues)
		all = append(all, r)
	}

	sorted.Func(all, func(a, b *Record) int { return cmp.Compare(a.Event.Name, b.Event.Name) })
	return all
}

func compareValues(a, b Value) int {
	c := cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Source, b.Source))
	if c != 0 || a.Statistics.Difference == b.Statistics.Difference {
		return c
	}
	if a.Statistics.Difference {
		return 1
	}
	return -1
}

func (v *seriesSummary) value(opt *Aggregate, key summaryKey) Value {
	f := v.all.Figures(opt.Percentiles...)
	st := &Statistics{
		Count: f.Count, Missing: f.Missing, Mean: f.Mean, Deviation: f.Deviation, Min: f.Min, Max: f.Max,
		Confidence: opt.Confidence, Low: math.NaN(), High: math.NaN(),
		Percents: opt.Percentiles, Percentiles: f.Percentiles, Difference: key.difference,
	}
	if f.Count >= 2 {
		half := f.MeanError(opt.Confidence)
		st.Low, st.High = f.Mean-half, f.Mean+half
	}
	status := counter.OK
	if f.Count == 0 {
		status = counter.InvalidData
	}
	return Value{
		Path: key.path, Source: key.source, Series: v.series, Unit: v.unit, Status: status, Statistics: st,
	}
}

// Summaries returns the current statistics of all bindings that have Aggregate: a record of the kind
// Summary for each event name. They have no numbers and are not stored.
func (e *Experiment) Summaries() []*Record {
	var all []*Record
	for _, b := range e.bindings {
		if b.summary != nil {
			all = append(all, b.summary.records(b)...)
		}
	}
	return all
}

func (e *Experiment) summarize() {
	unlimited := quota{policy: DropOldest, capacity: math.MaxInt, maxValues: math.MaxInt}
	for _, b := range e.bindings {
		if b.summary == nil {
			continue
		}
		for _, r := range b.summary.records(b) {
			e.store.put(&unlimited, r)
		}
	}
}
