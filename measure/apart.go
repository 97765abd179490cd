package measure

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/nametable"
)

// Apart is what a cycle tells of costly objects that were sampled apart.
type Apart struct {
	// Frame is their newest sample, the zero Frame before the first.
	Frame frame.Frame
	// Age is how long before the others' their sample was begun.
	Age time.Duration
	// Fresh tells that the cycle before had an older sample of them, or none.
	Fresh bool
	// Err is why the last try gave no newer sample.
	Err error
}

// apart measures the costly objects of a selection beside the others, in a
// Context of its own. At most one sample is under way; what becomes of it is
// collected when the others' are decoded.
type apart struct {
	context *Context
	every   time.Duration // between the beginnings of two samples, at least
	parts   []bool        // of the whole selection: which are costly
	line    *call.Line
	run     func(context.Context) // takes a sample, on the line
	round   call.Round            // of one sample

	// Of the sample that is under way:
	failed error
	lasted time.Duration // how long it took

	busy, waited   bool          // a sample was begun and not collected; the first one was waited for
	begun          bool          // there was a sample
	started, taken time.Duration // when the last sample was begun, and that of cycle, by the clock's Elapsed
	err            error         // of the last sample
	news           bool          // which no cycle told of
	cycle          *Cycle        // nil before the first
	whole          Cycle         // the others and these
	told           Apart         // with it
}

// newApart parts the costly objects from the rest of a selection. It returns nil
// where one of the two is empty.
func newApart(ctx context.Context, src winperf.Source, sel winperf.Selection, opt Options) (a *apart, rest winperf.Selection, err error) {
	if !sel.Costly && len(sel.Paths)+len(sel.Objects) < 2 && !sel.Global {
		return nil, sel, nil // one thing
	}
	schema, err := winperf.CostlySchema(ctx, src)
	if err != nil {
		return nil, sel, err
	}
	if schema == nil || len(schema.Costly) == 0 {
		return nil, sel, nil
	}
	rest, costly, parts := partCostly(sel, schema)
	if isEmpty(withoutOwn(rest)) || isEmpty(costly) {
		return nil, sel, nil
	}
	if opt.Slow == 0 {
		opt.Slow = math.MaxInt64 // it delays nobody
	}
	a = &apart{context: New(src, costly, opt), every: opt.CostlyInterval, parts: parts, line: call.NewLine()}
	a.context.beside, a.run = true, a.sample
	return a, rest, nil
}

// partCostly parts a selection. costly tells of each part of it, in their order
// in a plan, where it went.
func partCostly(sel winperf.Selection, schema *winperf.Schema) (rest, costly winperf.Selection, parts []bool) {
	names, _ := nametable.FromSchema(schema) // damage comes with the samples
	isCostly := func(title uint32) bool { return slices.Contains(schema.Costly, title) }
	rest = winperf.Selection{Global: sel.Global, Metadata: sel.Metadata}
	costly = winperf.Selection{Costly: sel.Costly, Metadata: sel.Metadata}
	for _, p := range sel.Paths {
		to := &rest
		if slices.ContainsFunc(names.Lookup(p.Object), isCostly) {
			to = &costly
		}
		to.Paths = append(to.Paths, p)
		parts = append(parts, to == &costly)
	}
	for _, id := range sel.Objects {
		to := &rest
		if isCostly(id.Index) {
			to = &costly
		}
		to.Objects = append(to.Objects, id)
		parts = append(parts, to == &costly)
	}
	if sel.Global {
		parts = append(parts, false)
	}
	if sel.Costly {
		parts = append(parts, true)
	}
	return rest, costly, parts
}

func isEmpty(sel winperf.Selection) bool {
	return len(sel.Paths) == 0 && len(sel.Objects) == 0 && !sel.Global && !sel.Costly
}

// first waits for the first sample, as long as an interval, so that, as a rule,
// the first cycle has costly objects.
func (a *apart) first(ctx context.Context) error {
	if a.waited {
		return nil
	}
	a.start()
	fired, stop := a.context.opt.Clock.Timer(a.context.opt.interval())
	defer stop()
	if a.round.Await(ctx, fired) {
		a.collect()
	} else if err := ctx.Err(); err != nil {
		return err
	}
	a.waited = true
	return nil
}

// start begins a sample, if the last one is done and the next is due.
func (a *apart) start() {
	if a.busy || !a.due() || errors.Is(a.err, io.EOF) {
		return
	}
	a.busy, a.begun, a.started = true, true, a.context.opt.Clock.Elapsed()
	_ = a.round.Begin(context.Background(), 0) // which never ends
	a.round.Ask(a.line, a.run)
}

// sample takes a sample.
func (a *apart) sample(ctx context.Context) {
	a.failed = a.context.Prepare(ctx)
	if a.failed == nil {
		a.failed = a.context.Sample(ctx)
	}
	a.lasted = a.context.opt.Clock.Elapsed() - a.started
}

// due tells whether it is time for a sample. Like those of a [Schedule] two
// samples are at least half an interval apart, counted from the end of the last
// one where that lasted longer than an interval.
func (a *apart) due() bool {
	if !a.begun {
		return true
	}
	interval := a.context.opt.interval()
	since := a.context.opt.Clock.Elapsed() - a.started
	if since < max(a.every, interval/2) {
		return false
	}
	return a.lasted < interval || since-a.lasted >= interval/2
}

// poll decodes a sample that is there by now.
func (a *apart) poll() {
	if a.busy && !a.line.Busy() {
		a.collect()
	}
}

// collect decodes a sample that ended.
func (a *apart) collect() {
	a.busy, a.news = false, true
	err := a.failed
	var c *Cycle
	if err == nil {
		c, err = a.context.Decode()
	}
	if a.err = err; err == nil {
		a.cycle, a.taken = c, a.started
	}
}

// tell adds what is to be told of a new sample, or of one that failed, to a cycle
// of the others.
func (a *apart) tell(c *Cycle, n *notes) {
	if a.cycle != nil {
		c.values += a.cycle.values
	}
	switch {
	case !a.news:
	case a.err == nil:
		c.Damage = append(c.Damage, a.cycle.Damage...)
		n.list = append(n.list, a.cycle.Anomalies...)
	case !errors.Is(a.err, io.EOF):
		n.add(winperf.Anomaly{Kind: winperf.SourceFailed, Detail: "costly objects", Err: a.err, Action: "tried again; the last values stay"})
	}
}

// join returns the cycle of the others, whose sample was begun at the given
// time, together with the newest of the costly objects, in the order of the whole
// selection.
func (a *apart) join(rest *Cycle, begin time.Duration) *Cycle {
	w := &a.whole
	columns, readings, parts, columnParts := w.columns[:0], w.readings[:0], w.Parts[:0], w.ColumnParts[:0]
	*w = *rest
	a.told = Apart{Fresh: a.news && a.err == nil, Err: a.err}
	if a.cycle != nil {
		a.told.Frame, a.told.Age = a.cycle.Frame, begin-a.taken
	}
	w.Apart, a.news = &a.told, false
	from := [2]partWalk{{cycle: rest}, {cycle: a.cycle}}
	values := 0
	for _, costly := range a.parts {
		walk := &from[0]
		if costly {
			walk = &from[1]
		}
		if walk.cycle != nil {
			part := walk.next()
			for _, col := range part {
				col.start = values
				values += col.Len()
				columns = append(columns, col)
			}
		}
		parts, columnParts = append(parts, values), append(columnParts, len(columns))
	}
	w.columns, w.readings, w.Parts, w.ColumnParts = columns, readings, parts, columnParts
	w.has, w.at = forms{columns: true}, position{}
	return w
}

// partWalk walks over the parts of a cycle.
type partWalk struct {
	cycle    *Cycle
	part, at int
}

// next returns the columns of the next part.
func (w *partWalk) next() []Column {
	at, end := w.at, w.cycle.ColumnParts[w.part]
	w.part, w.at = w.part+1, end
	return w.cycle.Columns()[at:end]
}

// close ends a sample that is under way, and then the Context.
func (a *apart) close() error {
	a.round.Leave()
	return a.line.Close(closeGrace, a.context.Close)
}
