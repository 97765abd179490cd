package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
)

// unit is one query of a member. If it fails or hangs, only its objects are missing.
type unit struct {
	name   string
	query  winperf.Query
	line   *call.Line
	sample func(context.Context) // on the line

	// For the call on the line:
	answer *winperf.Sample // the unit's sample; used by the call until it returns
	hung   bool            // the call was abandoned, and may still write to answer
	failed error

	blocks []blockNumber   // by the last successful call, until it is known whether the blocks can be decoded
	schema *winperf.Schema // the last schema
	err    error           // the reason why no newer block exists
	pauses call.Pauses
}

// blockNumber is a block and its number at that time. A later sample may reuse its memory.
type blockNumber struct {
	block  *winperf.Block
	number uint64
}

func newUnit(name string, q winperf.Query) *unit {
	u := &unit{name: name, query: q, line: call.NewLine(), answer: &winperf.Sample{}}
	u.sample = func(ctx context.Context) { u.failed = u.query.Next(ctx, u.answer) }
	return u
}

// newComposedQuery makes a query of units. For a single unit it returns the unit's query.
func newComposedQuery(c *composed, units []*unit) winperf.Query {
	if len(units) == 1 {
		return units[0].query
	}
	return &composedQuery{source: c, units: units}
}

// composedQuery queries several units in parallel. Each answer becomes a part of the sample.
type composedQuery struct {
	source  *composed
	units   []*unit
	round   call.Round
	queried []*unit // in the current round
	schemas []*winperf.Schema
}

// Next implements winperf.Query. It takes samples of all units in parallel, and fails if no unit
// answers. It skips units that failed recently or have not returned from an earlier call.
func (q *composedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	for _, u := range q.units {
		q.checkDecoded(u)
	}
	s.Clear()

	if err := q.query(ctx, s); err != nil {
		return err
	}

	var errs []error
	answered := false
	for _, u := range q.units {
		if u.err != nil {
			s.Parts = append(s.Parts, winperf.Part{Err: u.err})
			errs = append(errs, u.err)
			continue
		}
		answered = true
		u.addParts(s)
	}

	if !answered {
		s.Parts = s.Parts[:0] // the parts are empty; the damage stays
		return errors.Join(errs...)
	}
	q.unite(s)
	return nil
}

// checkDecoded counts a unit as failed if its blocks could not be decoded.
func (q *composedQuery) checkDecoded(u *unit) {
	for _, g := range u.blocks {
		if g.block.Number() != g.number {
			continue
		}
		contents, err := g.block.Decoded()
		switch {
		case err != nil:
			q.fail(u, err)
		case contents != nil:
			u.pauses.Reset()
		}
	}
	u.blocks = u.blocks[:0]
}

// awaitAbandoned waits for units whose calls were abandoned because their sample was cancelled early. It
// leaves half of the time until ctx's deadline for the answers.
func (q *composedQuery) awaitAbandoned(ctx context.Context) {
	var left []*call.Line
	for _, u := range q.units {
		if u.line.Busy() && !errors.Is(u.err, call.ErrBusy) {
			left = append(left, u.line)
		}
	}
	if len(left) > 0 {
		q.round.AwaitAbandoned(ctx, left, call.Share(ctx, q.source.limit, 1./2), nil)
	}
}

// query queries the units. It reports the damage that they found even if the sample fails.
func (q *composedQuery) query(ctx context.Context, s *winperf.Sample) error {
	q.awaitAbandoned(ctx)
	limit := call.Share(ctx, q.source.limit, 3./4) // leaves time for the objects of other units
	if err := q.round.Begin(ctx, limit); err != nil {
		return err
	}

	now := q.source.now()
	q.queried = q.queried[:0]
	for i, u := range q.units {
		switch {
		case u.line.Busy():
			if !errors.Is(u.err, call.ErrBusy) { // no caller waited for the full time limit
				u.err = fmt.Errorf("%s: %w", u.name, call.ErrBusy)
			}
		case u.pauses.Over(now):
			if u.hung {
				u.answer, u.hung = &winperf.Sample{}, false
			}
			*u.answer, *s.Within(i) = *s.Within(i), winperf.Sample{}
			q.queried = append(q.queried, u)
			q.round.Start(u.line, u.sample)
		}
	}
	q.round.Wait(nil, q.source.grace)

	for i, u := range q.units {
		switch {
		case !slices.Contains(q.queried, u):
		case u.line.Outcome() == call.Abandoned:
			u.hung = true
		default:
			*s.Within(i) = *u.answer
			s.Damage = append(s.Damage, u.answer.Damage...)
		}
	}

	if err := ctx.Err(); err != nil {
		return err // a cancelled caller is not a failure of the units
	}
	for _, u := range q.queried {
		q.evaluate(u, limit)
	}
	return nil
}

// evaluate evaluates a unit's answer.
func (q *composedQuery) evaluate(u *unit, limit time.Duration) {
	switch {
	case u.line.Outcome() == call.Abandoned:
		q.fail(u, fmt.Errorf("no answer within %v: %w", limit, call.ErrBusy))
	case u.failed != nil:
		q.fail(u, u.failed)
	default:
		u.err, u.schema = nil, u.answer.Schema
	}
}

// addParts adds the unit's parts to the sample.
func (u *unit) addParts(s *winperf.Sample) {
	for _, p := range u.answer.Parts {
		if p.Block != nil {
			u.blocks = append(u.blocks, blockNumber{p.Block, p.Block.Number()})
		}
		p.Name = u.name
		s.Parts = append(s.Parts, p)
	}
}

// fail records a failure of a unit, and skips the unit for a while.
func (q *composedQuery) fail(u *unit, err error) {
	u.err = fmt.Errorf("%s: %w", u.name, err)
	pause := u.pauses.Fail(q.source.now())
	q.source.note(u.name, "sample", err, u.pauses.Failures, pause)
}

// unite gives all parts one space of titles. The schema of the first unit comes first; it is known
// since the unit's first answer.
func (q *composedQuery) unite(s *winperf.Sample) {
	q.schemas = q.schemas[:0]
	for _, u := range q.units {
		if u.schema != nil {
			q.schemas = append(q.schemas, u.schema)
		}
	}

	q.schemas = slices.Compact(q.schemas)
	if len(q.schemas) > 0 {
		s.Schema = q.source.merged.merge(q.schemas)
	}
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil {
			b.Schema = s.Schema
		}
	}
}

// closeGrace is how long Close waits for units. Sources wait for a shorter time.
const closeGrace = 2 * time.Second

// Close implements winperf.Query. Queries of units that have not returned are closed when they
// return.
func (q *composedQuery) Close() error {
	errs := make([]error, len(q.units))
	var wait sync.WaitGroup
	for i, u := range q.units {
		wait.Go(func() {
			if err := u.line.Close(closeGrace, u.query.Close); err != nil {
				errs[i] = fmt.Errorf("%s: %w", u.name, err)
			}
		})
	}

	wait.Wait()
	q.units = nil
	return errors.Join(errs...)
}
