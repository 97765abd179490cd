package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/provider"
)

// unit is one query of a member. What fails or hangs behind it costs its objects
// and no others.
type unit struct {
	name   string
	query  winperf.Query
	calls  chan call // nil while nothing was asked
	closed chan error

	cur, prev frame.Frame
	schema    *winperf.Schema // the last one
	state     unitState
	err       error // of the last answer
	failures  int   // in a row
	retry     time.Time
}

// unitState says what a unit is doing.
type unitState uint8

const (
	unitIdle  unitState = iota
	unitAsked           // its answer is waited for
	unitLate            // it has not returned, and is not waited for
)

// call asks for a sample. The frame is the unit's until it answers.
type call struct {
	ctx   context.Context
	frame frame.Frame
}

// answer is what became of a call.
type answer struct {
	unit  *unit
	frame frame.Frame
	err   error
}

func newUnit(name string, q winperf.Query) *unit { return &unit{name: name, query: q} }

// run answers calls until there are no more, and then closes the query.
func (u *unit) run(answers chan<- answer, closed chan<- error) {
	for c := range u.calls {
		answers <- answer{u, c.frame, u.query.Sample(c.ctx, c.frame.Raw())}
	}
	closed <- u.query.Close()
}

// newComposedQuery makes a query of units. One alone is a query as its source made
// it, with raw samples.
func newComposedQuery(c *composed, units []*unit) winperf.Query {
	if len(units) == 1 {
		return units[0].query
	}
	return &composedQuery{source: c, units: units, answers: make(chan answer, len(units))}
}

// composedQuery asks several units at once and joins what they answer. It
// implements measure.FrameQuery.
type composedQuery struct {
	source  *composed
	units   []*unit
	answers chan answer // has room for all units, so that none waits
	pending int
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
func (q *composedQuery) Take(ctx context.Context) error {
	q.taken = false
	if err := ctx.Err(); err != nil {
		return err
	}
	for len(q.answers) > 0 {
		q.take(<-q.answers, false) // of units that were late
	}
	limit := q.source.limit
	if deadline, ok := ctx.Deadline(); ok { // leave time for the others' objects
		limit = min(limit, time.Until(deadline)*3/4)
	}
	asked, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	now := q.source.now()
	for _, u := range q.units {
		u.drop()
		if u.state == unitIdle && !now.Before(u.retry) {
			q.ask(asked, u)
		}
	}
	q.gather(ctx, asked, limit)
	if err := ctx.Err(); err != nil {
		return err
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
func (q *composedQuery) ask(ctx context.Context, u *unit) {
	if u.calls == nil {
		u.calls = make(chan call, 1)
		u.closed = make(chan error, 1)
		go u.run(q.answers, u.closed)
	}
	u.state = unitAsked
	q.pending++
	u.calls <- call{ctx, q.pool.Get()}
}

// gather takes the answers. When the time is up units are told to return by their
// context; those that do not within the grace are left behind.
func (q *composedQuery) gather(ctx, asked context.Context, limit time.Duration) {
	done := asked.Done()
	var grace <-chan time.Time
	for q.pending > 0 {
		select {
		case a := <-q.answers:
			q.take(a, ctx.Err() != nil)
		case <-done:
			done = nil
			timer := time.NewTimer(q.source.grace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			for _, u := range q.units {
				if u.state == unitAsked {
					u.state = unitLate
					q.pending--
					q.fail(u, fmt.Errorf("no answer within %v: %w", limit, provider.ErrBusy), ctx.Err() != nil)
				}
			}
		}
	}
}

// take takes an answer. One that is late tells only that the unit has returned.
// stopped tells that whoever asked wants no answer any more.
func (q *composedQuery) take(a answer, stopped bool) {
	u := a.unit
	late := u.state == unitLate
	if u.state = unitIdle; !late {
		q.pending--
	}
	switch {
	case late:
		a.frame.Release()
	case a.err != nil:
		a.frame.Release()
		q.fail(u, a.err, stopped)
	default:
		u.cur, u.err = a.frame, nil
	}
}

// fail notes that a unit gave nothing, and leaves it alone for a while.
func (q *composedQuery) fail(u *unit, err error, stopped bool) {
	u.err = fmt.Errorf("%s: %w", u.name, err)
	if stopped {
		return
	}
	u.failures++
	u.retry = q.source.now().Add(provider.Pause(u.failures))
	q.source.note(u.name, "sample", err, u.failures)
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
			q.fail(u, err, false)
			continue
		}
		u.failures = 0
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

// Close implements winperf.Query. Queries of units that have not returned are
// closed when they do.
func (q *composedQuery) Close() error {
	var errs []error
	for _, u := range q.units {
		u.drop()
		u.prev.Release()
		u.prev = frame.Frame{}
		switch {
		case u.calls == nil:
			errs = append(errs, u.query.Close())
			continue
		case u.state == unitLate:
			errs = append(errs, fmt.Errorf("close: %s: %w", u.name, provider.ErrBusy))
		}
		close(u.calls)
		if u.state == unitIdle {
			errs = append(errs, <-u.closed)
		}
	}
	q.units = nil
	return errors.Join(errs...)
}
