package view

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// Limits of a survey.
const (
	surveyLimit  = 4 << 20 // values
	coarse       = 48      // samples of the first picture of a large log
	maxKept      = 20_000  // events
	maxEventText = 8 << 20 // bytes of their texts
	maxDamage    = 20
)

// wholeLimit is the number of values of a log that is read as a whole; tests change it.
var wholeLimit = 40_000_000

// survey is a picture of a whole source. Only runSurvey changes it, and may read it without locks.
type survey struct {
	table *table // averages of all counters
	ready chan struct{}

	mu        sync.Mutex
	exact     bool // it has all samples, or all until now
	done, of  int64
	next      *survey // of all samples, which is being read
	events    []Event // by time
	dropped   int     // events that were not kept
	eventText int     // bytes of the texts of the events
	damage    []string
	names     *nametable.Names // of the latest sample
	help      map[winperf.ObjectID]uint32
	first     time.Time
	latest    time.Time
	err       error
	removed   bool
}

func newSurvey() *survey {
	return &survey{table: newTable(surveyLimit, true), ready: make(chan struct{})}
}

// look returns the survey of the source, which may be incomplete, with the error that ended reading. The
// first call begins the survey. look waits until the survey is a first picture, at most for a time.
func (s *shown) look(ctx context.Context, wait time.Duration) (*survey, error) {
	s.mu.Lock()
	begun := s.survey
	if begun == nil {
		begun = newSurvey()
		s.survey = begun
		s.view.work.Go(func() { s.runSurvey(s.ctx, begun) })
	}
	s.mu.Unlock()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-begun.ready:
	case <-timer.C:
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.survey // it may have been replaced
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.removed {
		return nil, ErrRemoved
	}
	return v, v.err
}

// patience returns the longest time to wait for the first and last time of the source: 0 for a large log that
// states them.
func (s *shown) patience() time.Duration {
	if s.isLarge() && !s.src.Describe().Log.End.IsZero() {
		return 0
	}
	return patience
}

// isLarge reports whether the first picture of the source is of some of its samples.
func (s *shown) isLarge() bool { return s.live == nil && s.expected > 4*coarse }

// runSurvey reads the source. Of a large log it first reads a few samples. It follows a source that grows.
func (s *shown) runSurvey(ctx context.Context, v *survey) {
	every := time.Duration(0)
	if length := s.length(); s.isLarge() && length > 0 {
		every = length / coarse
	}
	s.readSurvey(ctx, v, every)
	close(v.ready)

	if every > 0 && ctx.Err() == nil && v.err == nil && len(v.table.rows)*s.expected <= wholeLimit {
		whole := newSurvey()
		close(whole.ready)
		v.mu.Lock()
		v.next = whole
		v.mu.Unlock()
		s.readSurvey(ctx, whole, 0)
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		s.survey = whole
		s.mu.Unlock()
		v, every = whole, 0
	}
	for s.grows && ctx.Err() == nil {
		if !s.waitGrowth(ctx) {
			return
		}
		s.readSurvey(ctx, v, every)
		v.trim(s.src.Describe().Log.Begin)
	}
}

// length returns the estimated length of a log.
func (s *shown) length() time.Duration {
	length := s.span(s.src.Describe().Log.End)
	if length == 0 && s.live == nil {
		length = time.Duration(s.expected) * s.step
	}
	return length
}

// readSurvey adds the samples after the latest one to a survey.
func (s *shown) readSurvey(ctx context.Context, v *survey, every time.Duration) {
	sel := winperf.Selection{Global: true, Costly: true, Every: every}
	sel.Begin, sel.End = s.limitBegin, s.limitEnd
	if !v.latest.IsZero() {
		sel.Begin = v.latest.Add(-s.margin())
	}
	opt := measure.Options{KeepFirst: true, Language: s.view.opt.Language}
	var failed error
	for cycle, err := range measure.Watch(ctx, s.src, sel, opt) {
		if failed = err; err != nil {
			break
		}
		v.noteAll(cycle.Damage) // also of parts before the latest sample
		if !cycle.Time.After(v.latest) {
			continue
		}
		v.add(cycle)
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	v.end(failed)
	if ctx.Err() == nil {
		v.exact, v.done = every == 0, v.of
	}
}

// progress returns the bytes that were read, and their total. The survey is locked.
func (v *survey) progress() (done, of int64) {
	if next := v.next; next != nil {
		next.mu.Lock()
		defer next.mu.Unlock()
		return next.done, v.of
	}
	return v.done, v.of
}

// margin is the time before a range that contains the previous sample.
func (s *shown) margin() time.Duration { return 2*s.step + s.step/2 + time.Millisecond }

// from limits a selection to the samples from a time on, and the one before it for rates.
func (s *shown) from(sel winperf.Selection, begin int64) winperf.Selection {
	sel.Begin, sel.End = s.limitBegin, s.limitEnd
	if begin != noBegin {
		if from := time.UnixMilli(begin).Add(-s.margin()); from.After(sel.Begin) {
			sel.Begin = from
		}
	}
	return sel
}

// end notes the error that ended reading, or that there was none: a directory that was removed may exist
// again. The survey is locked.
func (v *survey) end(err error) {
	v.err, v.removed = nil, errors.Is(err, fs.ErrNotExist)
	switch {
	case err == nil || v.removed:
	case errors.Is(err, winperf.ErrBadData):
		v.noteDamage(err)
	default:
		v.err = err
	}
}

// noteDamage adds a damage, but none twice. The survey is locked.
func (v *survey) noteDamage(err error) {
	if text := err.Error(); len(v.damage) < maxDamage && !slices.Contains(v.damage, text) {
		v.damage = append(v.damage, text)
	}
}

// noteAll adds the damage of a sample. Errors with a topic are notices, not damage.
func (v *survey) noteAll(damage []error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, err := range damage {
		if _, notice := err.(interface{ Topic() string }); !notice {
			v.noteDamage(err)
		}
	}
}

// add adds the values, anomalies and names of a sample.
func (v *survey) add(cycle *measure.Cycle) {
	v.table.add(cycle.Time, cycle.Columns())
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.first.IsZero() {
		v.first = cycle.Time
	}
	v.latest = cycle.Time
	v.done, v.of = cycle.Sample.At, cycle.Sample.Of
	for _, a := range cycle.Anomalies {
		v.note(a)
	}

	if v.names == cycle.Names && v.help != nil {
		return
	}
	v.names, v.help = cycle.Names, map[winperf.ObjectID]uint32{}
	for o := range cycle.Frame.Objects() {
		v.help[o.ID()] = o.Help()
	}
}

// trim forgets the time before begin.
func (v *survey) trim(begin time.Time) {
	v.table.trim(begin.UnixMilli())
	v.mu.Lock()
	defer v.mu.Unlock()
	n := 0
	for n < len(v.events) && v.events[n].Time.Before(begin) {
		v.eventText -= len(v.events[n].Instance) + len(v.events[n].Text)
		n++
	}
	v.events = v.events[n:]
}

// waitGrowth waits until the source may have new samples, and reports false at the end of ctx.
func (s *shown) waitGrowth(ctx context.Context) bool {
	if s.live == nil {
		return sleep(ctx, 2*time.Second)
	}
	err := s.live.to.wait(ctx, s.live.to.end())
	return err == nil || sleep(ctx, s.live.interval) // a source that fails may recover
}

// sleep waits, and reports false if ctx ended before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// rows returns the rows of the survey that match each of the paths. The table is locked.
func (v *survey) rows(paths []winperf.Path) (rows [][]*row) {
	for _, p := range paths {
		m := p.Matcher()
		var of []*row
		for _, r := range v.table.rows {
			if matches(m, r.series) {
				of = append(of, r)
			}
		}
		rows = append(rows, of)
	}
	return rows
}

func matches(m winperf.Matcher, s *winperf.Series) bool {
	p := &s.Path
	return m.Machine(p.Machine) && m.Object(p.Object) && m.Counter(p.Counter) &&
		m.HasInstance() == p.HasInstance && (!p.HasInstance || m.Instance(p.Instance, p.Index))
}
