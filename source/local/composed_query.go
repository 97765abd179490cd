package local

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/call"
)

// unit is one query of a member. What fails or hangs behind it costs its objects
// and no others.
type unit struct {
	name   string
	query  winperf.Query
	line   *call.Line
	sample func(context.Context) // on the line

	// Of the call on the line:
	asked  frame.Frame
	failed error

	cur, prev frame.Frame
	schema    *winperf.Schema // the last one
	err       error           // why there is no newer frame
	pauses    call.Pauses
}

func newUnit(name string, q winperf.Query) *unit {
	u := &unit{name: name, query: q, line: call.NewLine()}
	u.sample = func(ctx context.Context) { u.failed = u.query.Sample(ctx, u.asked.Raw()) }
	return u
}

// newComposedQuery makes a query of units. One alone is a query as its source made
// it, with raw samples.
func newComposedQuery(c *composed, units []*unit) winperf.Query {
	if len(units) == 1 {
		return units[0].query
	}
	return &composedQuery{source: c, units: units}
}

// composedQuery asks several units at once and joins what they answer. It
// implements measure.FrameQuery.
type composedQuery struct {
	source  *composed
	units   []*unit
	round   call.Round
	asked   []*unit // in the round
	taken   bool
	pool    frame.Pool
	schemas []*winperf.Schema
	objects []frame.Object
}

// Sample implements winperf.Query. Samples of several interfaces are no one raw
// sample.
func (q *composedQuery) Sample(context.Context, *winperf.Raw) error {
	return fmt.Errorf("%w: one raw sample of several interfaces; one of them, such as registry: or perflib:, can be recorded", winperf.ErrNotSupported)
}

// Take takes a sample of every unit, at the same time. It fails where none answers.
// A unit that has not returned from an earlier call, or failed a short while ago, is
// not asked.
func (q *composedQuery) Take(ctx context.Context) error {
	q.taken = false
	limit := call.Share(ctx, q.source.limit, 3./4) // leaves time for the others' objects
	if err := q.round.Begin(ctx, limit); err != nil {
		return err
	}
	now := q.source.now()
	q.asked = q.asked[:0]
	for _, u := range q.units {
		u.drop()
		switch {
		case u.line.Busy():
			if !errors.Is(u.err, call.ErrBusy) { // nobody waited long enough to blame it
				u.err = fmt.Errorf("%s: %w", u.name, call.ErrBusy)
			}
		case u.pauses.Over(now):
			q.ask(u)
		}
	}
	q.round.Wait(nil, q.source.grace)
	if err := ctx.Err(); err != nil {
		return err // who stops waiting says nothing about those that were asked
	}

	for _, u := range q.asked {
		q.judge(u, limit)
	}
	var errs []error
	for _, u := range q.units {
		if !u.cur.IsZero() {
			q.taken = true
		}
		errs = append(errs, u.err)
	}
	if !q.taken {
		return errors.Join(errs...)
	}
	return nil
}

// ask asks a unit.
func (q *composedQuery) ask(u *unit) {
	u.asked.Release() // of a call that failed or came too late
	u.asked = q.pool.Get()
	q.asked = append(q.asked, u)
	q.round.Ask(u.line, u.sample)
}

// judge takes a unit's answer.
func (q *composedQuery) judge(u *unit, limit time.Duration) {
	switch {
	case u.line.Outcome() == call.Left:
		q.fail(u, fmt.Errorf("no answer within %v: %w", limit, call.ErrBusy))
	case u.failed != nil:
		q.fail(u, u.failed)
	default:
		u.cur, u.asked, u.err = u.asked, frame.Frame{}, nil
	}
}

// fail notes that a unit gave nothing, and leaves it alone for a while.
func (q *composedQuery) fail(u *unit, err error) {
	u.err = fmt.Errorf("%s: %w", u.name, err)
	pause := u.pauses.Fail(q.source.now())
	q.source.note(u.name, "sample", err, u.pauses.Failures, pause)
}

// Frame decodes what Take took and joins it. A unit that gave nothing is damage.
func (q *composedQuery) Frame() (frame.Frame, error) {
	if !q.taken {
		return frame.Frame{}, fmt.Errorf("no sample was taken: %w", winperf.ErrState)
	}
	q.taken = false
	schema := q.mergeSchemas()
	var head frame.Frame
	var damage []error
	q.objects = q.objects[:0]
	for _, u := range q.units {
		if u.cur.IsZero() {
			damage = append(damage, u.err)
			continue
		}
		u.cur.Raw().Schema = schema
		err := u.cur.Decode(u.prev)
		if err != nil {
			damage = append(damage, fmt.Errorf("%s: %w", u.name, err))
		}
		if err != nil && u.cur.NumObjects() == 0 {
			q.fail(u, err)
			continue
		}
		u.pauses.Reset()
		if head.IsZero() {
			head = u.cur
		} else {
			damage = append(damage, u.cur.Damage()...)
		}
		for o := range u.cur.Objects() {
			q.objects = append(q.objects, o)
		}
	}
	if head.IsZero() {
		return frame.Frame{}, errors.Join(damage...)
	}
	f, err := q.pool.Join(head, damage, q.objects...)
	clear(q.objects)
	for _, u := range q.units {
		if !u.cur.IsZero() {
			u.prev.Release()
			u.prev, u.cur = u.cur, frame.Frame{}
		}
	}
	return f, err
}

// mergeSchemas is the schema of all that was taken. The first unit's, which is
// known for as long as it ever answered, goes first.
func (q *composedQuery) mergeSchemas() *winperf.Schema {
	q.schemas = q.schemas[:0]
	for _, u := range q.units {
		if !u.cur.IsZero() {
			u.schema = u.cur.Raw().Schema
		}
		if s := u.schema; s != nil && (len(q.schemas) == 0 || q.schemas[len(q.schemas)-1] != s) {
			q.schemas = append(q.schemas, s)
		}
	}
	if len(q.schemas) == 0 {
		return nil
	}
	return q.source.merged.merge(q.schemas)
}

// drop gives up the frame of a round that did not come to its end.
func (u *unit) drop() {
	u.cur.Release()
	u.cur = frame.Frame{}
}

// closeGrace is how long Close waits for units: longer than sources wait by
// themselves.
const closeGrace = 2 * time.Second

// Close implements winperf.Query. Queries of units that have not returned are
// closed when they do.
func (q *composedQuery) Close() error {
	errs := make([]error, len(q.units))
	var wait sync.WaitGroup
	for i, u := range q.units {
		u.drop()
		u.prev.Release()
		u.prev = frame.Frame{}
		wait.Go(func() {
			if err := u.line.Close(closeGrace, u.close); err != nil {
				errs[i] = fmt.Errorf("%s: %w", u.name, err)
			}
		})
	}
	wait.Wait()
	q.units = nil
	return errors.Join(errs...)
}

// close closes the query, as the last thing on the line.
func (u *unit) close() error {
	u.asked.Release()
	return u.query.Close()
}
