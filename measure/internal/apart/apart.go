// Package apart samples the costly objects of a selection beside the others: it is a
// query around two.
package apart

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// Options say what goes to the two queries, and when the costly one is asked.
type Options struct {
	Clock schedule.Clock
	// Interval is the time between two samples of the others, Least the least time
	// between two of the costly objects. 0 takes the next one when the last is done,
	// though never after less than half an interval.
	Interval, Least time.Duration
	// IsOwn reports whether a path is answered by the measurement itself: no source
	// is asked for it.
	IsOwn func(winperf.Path) bool
	// InUse reports whether a frame that is still valid refers to a block. It is called by Start.
	InUse func(*winperf.Block) bool
	// Grace is how long Close waits for a sample that is under way.
	Grace time.Duration
}

// Query is a query for the costly objects of a selection beside one for the others. At
// most one sample of them is under way; the newest one that is done is a part of every
// sample of the others.
type Query struct {
	// Parts tell which parts of the whole selection are about costly objects.
	Parts []bool

	others winperf.Query
	costly winperf.Query
	opt    Options
	line   *call.Line
	run    func(context.Context) // takes a sample, on the line
	round  call.Round            // of one sample

	// Of the call that is under way; its own, until it returns:
	asked  *winperf.Sample
	failed error
	lasted time.Duration // how long it took

	busy, waited bool              // a sample was begun and not collected; the first one was waited for
	begun        bool              // there was a sample
	started      time.Duration     // when the last one was begun, by the clock's Elapsed
	newest       *winperf.Sample   // the last one that succeeded, empty before
	samples      []*winperf.Sample // all that were made, to be filled again
	only         []winperf.ObjectID
	err          error   // of the last one
	damage       []error // of samples, also of those that failed, that was not told yet
	news         bool    // how the last one ended was not told yet
}

// Compile compiles the costly objects of a selection apart from the rest. It returns
// nil where one of the two is empty.
func Compile(ctx context.Context, src winperf.Source, sel winperf.Selection, opt Options) (*Query, error) {
	if !sel.Costly && len(sel.Paths)+len(sel.Objects) < 2 && !sel.Global {
		return nil, nil // one thing
	}
	schema, err := winperf.CostlySchema(ctx, src)
	if err != nil {
		return nil, err
	}
	if schema == nil || len(schema.Costly) == 0 {
		return nil, nil
	}

	names, _ := nametable.FromSchema(schema) // samples report damage
	others, costly, parts := selection.Split(sel, names, schema.Costly)
	others.Paths = slices.DeleteFunc(others.Paths, opt.IsOwn)
	if selection.IsEmpty(others) || selection.IsEmpty(costly) {
		return nil, nil
	}

	a := &Query{Parts: parts, opt: opt, line: call.NewLine(), newest: &winperf.Sample{}}
	a.run = a.sample
	a.know(schema)
	if a.others, err = src.Compile(ctx, others); err != nil {
		return nil, err
	}
	if a.costly, err = src.Compile(ctx, costly); err != nil {
		return nil, errors.Join(err, a.others.Close())
	}
	return a, nil
}

// First waits for the first sample, as long as an interval, so that, as a rule,
// the first cycle has costly objects.
func (a *Query) First(ctx context.Context) error {
	if a.waited {
		return nil
	}
	a.Start()
	fired, stop := a.opt.Clock.Timer(a.opt.Interval)
	defer stop()

	if a.round.Await(ctx, fired) {
		a.collect()
	} else if err := ctx.Err(); err != nil {
		return err
	}
	a.waited = true
	return nil
}

// Start begins a sample, if the last one is done and the next is due.
func (a *Query) Start() {
	if a.busy || !a.due() || errors.Is(a.err, io.EOF) {
		return
	}
	a.busy, a.begun, a.started = true, true, a.opt.Clock.Elapsed()
	a.asked = a.spare()
	a.asked.Like(a.newest)
	_ = a.round.Begin(context.Background(), 0) // which never ends
	a.round.Ask(a.line, a.run)
}

// spare returns a sample that can be filled: one that is not the newest, and whose blocks no valid
// frame refers to.
func (a *Query) spare() *winperf.Sample {
	inUse := func(p winperf.Part) bool { return p.Block != nil && a.opt.InUse(p.Block) }
	for _, s := range a.samples {
		if s != a.newest && !slices.ContainsFunc(s.Parts, inUse) {
			return s
		}
	}
	s := &winperf.Sample{}
	a.samples = append(a.samples, s)
	return s
}

// sample takes a sample.
func (a *Query) sample(ctx context.Context) {
	a.failed = a.costly.Next(ctx, a.asked)
	a.lasted = a.opt.Clock.Elapsed() - a.started
}

// due reports whether it is time for a sample. Like those of a [schedule.Schedule] two
// samples are at least half an interval apart, counted from the end of the last
// one where that lasted longer than an interval, and never less than schedule.Least.
func (a *Query) due() bool {
	if !a.begun {
		return true
	}
	interval := a.opt.Interval
	since := a.opt.Clock.Elapsed() - a.started
	if since < max(a.opt.Least, interval/2, schedule.Least) {
		return false
	}
	return a.lasted < interval || since-a.lasted >= interval/2
}

// collect takes over a sample that ended.
func (a *Query) collect() {
	a.busy, a.news = false, true
	a.damage = append(a.damage, a.asked.Damage...)
	if a.err = a.failed; a.err == nil {
		a.newest = a.asked
		a.know(a.newest.Schema)
		for i := range a.newest.Parts {
			p := &a.newest.Parts[i]
			p.Beside, p.Only = true, a.onlyCostly(p.Only)
		}
	}
}

// onlyCostly are the costly ones among the objects that belong to a part; nil stands for
// all that are in its block.
func (a *Query) onlyCostly(of []winperf.ObjectID) []winperf.ObjectID {
	if of == nil {
		return a.only
	}
	of = slices.Clone(of) // the query uses its memory for the next sample
	return slices.DeleteFunc(of, func(id winperf.ObjectID) bool {
		return !slices.ContainsFunc(a.only, id.Is)
	})
}

// know notes which objects are costly: others come along with them, such as those of
// their parents, which the others' sample has as well.
func (a *Query) know(s *winperf.Schema) {
	if s == nil {
		return
	}
	for _, title := range s.Costly {
		if id := (winperf.ObjectID{Index: title}); !slices.Contains(a.only, id) {
			a.only = append(a.only, id)
		}
	}
}

// Next implements winperf.Query.
func (a *Query) Next(ctx context.Context, s *winperf.Sample) error {
	if err := a.others.Next(ctx, s); err != nil {
		return err
	}
	if a.busy && !a.line.Busy() {
		a.collect()
	}

	if len(a.newest.Parts) == 0 {
		s.Parts = append(s.Parts, winperf.Part{Beside: true, Err: a.failure()})
	}
	s.Parts = append(s.Parts, a.newest.Parts...)

	s.Damage = append(s.Damage, a.damage...)
	a.damage = a.damage[:0]
	return nil
}

// failure is why the last sample failed, nil where it did not. That there are no more is
// not a failure.
func (a *Query) failure() error {
	if errors.Is(a.err, io.EOF) {
		return nil
	}
	return a.err
}

// News is why the last sample failed, once; nil where it did not.
func (a *Query) News() error {
	if !a.news {
		return nil
	}
	a.news = false
	return a.failure()
}

// Close ends a sample that is under way, and closes both queries.
func (a *Query) Close() error {
	a.round.Leave()
	costly := a.line.Close(a.opt.Grace, a.costly.Close)
	return errors.Join(costly, a.others.Close())
}
