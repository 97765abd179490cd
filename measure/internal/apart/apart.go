// Package apart samples the costly objects of a selection independently of the others. Its Query
// combines two queries.
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

// Options configure Compile.
type Options struct {
	Clock schedule.Clock
	// Interval is the time between two samples of the other objects, Least the minimum time between
	// two samples of costly objects. With Least 0 the next one starts when the last is done, but at
	// the earliest after half an interval.
	Interval, Least time.Duration
	// IsOwn reports whether the measurement itself provides a path, not the source.
	IsOwn func(winperf.Path) bool
	// InUse reports whether a valid frame refers to a block. Start calls it.
	InUse func(*winperf.Block) bool
	// Grace is the time that Close waits for a running sample.
	Grace time.Duration
}

// Query samples costly objects in the background, at most one sample at a time. Each sample of the
// other objects contains the newest finished one.
type Query struct {
	// Parts reports which parts of the whole selection are of costly objects.
	Parts []bool

	others winperf.Query
	costly winperf.Query
	opt    Options
	line   *call.Line
	run    func(context.Context)
	round  call.Round

	// Of the running call, which owns them until it returns:
	pending *winperf.Sample
	failed  error
	lasted  time.Duration

	busy, waited bool              // a sample was begun and not collected; First has waited
	begun        bool              // a sample was begun before
	started      time.Duration     // start of the last one, by the clock's Elapsed
	newest       *winperf.Sample   // the last successful one, empty before
	samples      []*winperf.Sample // all samples, to be reused
	only         []winperf.ObjectID
	err          error
	damage       []error // unreported damage, also of failed samples
	unreported   bool    // the result of the last one is unreported
}

// Compile returns a Query for the selection, or nil if it has only costly or only other objects.
func Compile(ctx context.Context, src winperf.Source, sel winperf.Selection, opt Options) (*Query, error) {
	if !sel.Costly && len(sel.Paths)+len(sel.Objects) < 2 && !sel.Global {
		return nil, nil // a single path or object
	}
	schema, err := winperf.CostlySchema(ctx, src)
	if err != nil {
		return nil, err
	}
	if schema == nil || len(schema.Costly) == 0 {
		return nil, nil
	}

	names, _ := nametable.FromSchema(schema) // samples report the damage
	others, costly, parts := selection.Split(sel, names, schema.Costly)
	others.Paths = slices.DeleteFunc(others.Paths, opt.IsOwn)
	if selection.IsEmpty(others) || selection.IsEmpty(costly) {
		return nil, nil
	}

	a := &Query{Parts: parts, opt: opt, line: call.NewLine(), newest: &winperf.Sample{}}
	a.run = a.sample
	a.addCostly(schema)
	if a.others, err = src.Compile(ctx, others); err != nil {
		return nil, err
	}
	if a.costly, err = src.Compile(ctx, costly); err != nil {
		return nil, errors.Join(err, a.others.Close())
	}
	return a, nil
}

// First waits for the first sample, up to an interval, so that the first cycle usually has costly
// objects.
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

// Start begins a sample if none is running and the next is due.
func (a *Query) Start() {
	if a.busy || !a.due() || errors.Is(a.err, io.EOF) {
		return
	}
	a.busy, a.begun, a.started = true, true, a.opt.Clock.Elapsed()
	a.pending = a.spare()
	a.pending.Like(a.newest)
	_ = a.round.Begin(context.Background(), 0)
	a.round.Start(a.line, a.run)
}

// spare returns a sample to fill: not the newest one, and without blocks that valid frames refer to.
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

func (a *Query) sample(ctx context.Context) {
	a.failed = a.costly.Next(ctx, a.pending)
	a.lasted = a.opt.Clock.Elapsed() - a.started
}

// due reports whether the next sample is due. Two samples are at least half an interval apart, as in
// a [schedule.Schedule], counted from the end of a sample that lasted longer than an interval, and at
// least schedule.Least.
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

func (a *Query) collect() {
	a.busy, a.unreported = false, true
	a.damage = append(a.damage, a.pending.Damage...)
	if a.err = a.failed; a.err == nil {
		a.newest = a.pending
		a.addCostly(a.newest.Schema)
		for i := range a.newest.Parts {
			p := &a.newest.Parts[i]
			p.Independent, p.Only = true, a.onlyCostly(p.Only)
		}
	}
}

// onlyCostly returns the costly ones of a part's objects; nil means all objects in its block.
func (a *Query) onlyCostly(of []winperf.ObjectID) []winperf.ObjectID {
	if of == nil {
		return a.only
	}
	of = slices.Clone(of) // the query reuses the memory of of
	return slices.DeleteFunc(of, func(id winperf.ObjectID) bool {
		return !slices.ContainsFunc(a.only, id.Is)
	})
}

// addCostly adds the costly objects of a schema. A sample can contain other objects, such as the
// parents, which the sample of the others contains as well.
func (a *Query) addCostly(s *winperf.Schema) {
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
		s.Parts = append(s.Parts, winperf.Part{Independent: true, Err: a.failure()})
	}
	s.Parts = append(s.Parts, a.newest.Parts...)

	s.Damage = append(s.Damage, a.damage...)
	a.damage = a.damage[:0]
	return nil
}

// failure returns the last error, without io.EOF.
func (a *Query) failure() error {
	if errors.Is(a.err, io.EOF) {
		return nil
	}
	return a.err
}

// TakeError returns the error of the last sample, once.
func (a *Query) TakeError() error {
	if !a.unreported {
		return nil
	}
	a.unreported = false
	return a.failure()
}

// Close waits for a running sample, up to Options.Grace, and closes both queries.
func (a *Query) Close() error {
	a.round.Abandon()
	costly := a.line.Close(a.opt.Grace, a.costly.Close)
	return errors.Join(costly, a.others.Close())
}
