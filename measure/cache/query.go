package cache

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// query is one user of the cache: the winperf.Query of a Source.
type query struct {
	source *Source
	sel    winperf.Selection
	wanted []winperf.ObjectID

	// By position in wanted: the object in the cache, what the query has seen
	// of it, and what Take got, each a reference. Guarded by Source.mu.
	items []*item
	bans  []ban
	picks []*sample

	taken bool // Frame may follow
	// alone samples with the selection as it is, for this query only, as long
	// as none of the wanted objects is known.
	alone winperf.Query

	flight  *flight
	missing []int // positions in wanted that nobody has
	asking  []winperf.ObjectID
	waits   []wait

	samples []*sample // scratch of Frame
	objects []frame.Object
	damage  []error
}

// wait is a flight that an object is waited for, by its position in wanted.
type wait struct {
	flight *flight
	at     int
}

// want sets what is wanted from now on. What was wanted before comes first;
// sm, if not nil, is a sample of the rest that the query has.
func (q *query) want(ids []winperf.ObjectID, sm *sample) {
	s := q.source
	s.mu.Lock()
	defer s.mu.Unlock()
	q.wanted = ids
	q.picks = make([]*sample, len(ids))
	for _, id := range ids[len(q.items):] {
		b := ban(0)
		if sm != nil {
			b.give(sm)
		}
		q.items, q.bans = append(q.items, s.table.item(id)), append(q.bans, b)
	}
}

// Take implements measure.FrameQuery: it takes the objects that are in the
// cache, waits for those that others are asking for, and asks for the rest.
func (q *query) Take(ctx context.Context) error {
	q.drop()
	if err := ctx.Err(); err != nil {
		return err
	}
	err := q.take(ctx, false)
	q.taken = err == nil
	if err != nil {
		q.drop()
	}
	return err
}

// take gets a sample of every wanted object; one tells that it must be the same
// sample of all.
func (q *query) take(ctx context.Context, one bool) error {
	if len(q.wanted) == 0 {
		return q.takeAlone(ctx)
	}
	for {
		if err := q.look(one); err != nil {
			return err
		}
		if err := q.ask(ctx); err != nil {
			q.leave(0)
			return err
		}
		again, err := q.await(ctx)
		if err != nil || !again {
			return err
		}
	}
}

// look decides for every wanted object whether it is in the cache, is waited for
// or is asked for.
func (q *query) look(one bool) error {
	s := q.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	q.missing, q.asking, q.waits = q.missing[:0], q.asking[:0], q.waits[:0]
	if one {
		q.lookOne(s.clock.Elapsed())
	} else {
		q.lookEach(s.clock.Elapsed())
	}
	q.begin()
	return nil
}

// lookEach takes each object from where it is.
func (q *query) lookEach(now time.Duration) {
	for i, it := range q.items {
		if q.picks[i] != nil {
			continue
		}
		if q.picks[i] = q.source.table.find(it, &q.bans[i], now); q.picks[i] != nil {
			continue
		}
		if f := it.flight; f != nil && f.began > stamp(q.bans[i]) {
			q.wait(f, i)
		} else {
			q.miss(i)
		}
	}
}

// lookOne takes all objects from one sample: the newest one of all of them, or
// one under way, or a new one.
func (q *query) lookOne(now time.Duration) {
	t := &q.source.table
	together, coming := t.together(q.items, q.bans, now), q.items[0].flight
	for i, it := range q.items {
		if it.flight != coming || coming != nil && coming.began <= stamp(q.bans[i]) {
			coming = nil
		}
	}
	for i, it := range q.items {
		switch {
		case together:
			q.picks[i] = t.find(it, &q.bans[i], now)
		case coming != nil:
			q.wait(coming, i)
		default:
			q.miss(i)
		}
	}
}

func (q *query) wait(f *flight, at int) {
	f.join(q, at)
	q.waits = append(q.waits, wait{f, at})
}

func (q *query) miss(at int) {
	q.missing, q.asking = append(q.missing, at), append(q.asking, q.wanted[at])
}

func errClosed() error { return fmt.Errorf("sample of a cache that is closed: %w", winperf.ErrState) }

// ask asks the source for what is missing.
func (q *query) ask(ctx context.Context) error {
	if len(q.missing) == 0 {
		return nil
	}
	a := asked{ids: q.asking}
	if len(q.missing) == len(q.wanted) {
		a.global, a.costly = q.sel.Global, q.sel.Costly
	}
	sm, err := q.fly(ctx, a)
	if err != nil {
		return err
	}
	q.source.mu.Lock()
	defer q.source.mu.Unlock()
	for _, at := range q.missing {
		q.picks[at] = sm
	}
	sm.refs += len(q.missing) - 1
	return nil
}

// await waits for what others ask for. again tells that some of it has to be
// looked for once more.
func (q *query) await(ctx context.Context) (again bool, err error) {
	for i, w := range q.waits {
		retry, err := w.flight.await(ctx)
		if err != nil {
			q.leave(i)
			return false, err
		}
		if retry {
			again = true
			continue
		}
		q.picks[w.at] = w.flight.sample
	}
	return again, nil
}

// leave stops waiting for all but the first n objects.
func (q *query) leave(n int) {
	s := q.source
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range q.waits[n:] {
		s.leave(w.flight, q, w.at)
	}
}

// takeAlone takes a sample that is not shared.
func (q *query) takeAlone(ctx context.Context) error {
	s := q.source
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.queries++
	}
	s.mu.Unlock()
	if closed {
		return errClosed()
	}
	if q.alone == nil {
		inner, err := s.src.Compile(ctx, q.sel)
		if err != nil {
			return err
		}
		q.alone = inner
	}
	sm := s.newSample()
	sm.alone = true
	q.picks = append(q.picks[:0], sm)
	if err := q.alone.Sample(ctx, sm.frame.Raw()); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sm.landed, sm.at = s.table.step(), s.clock.Elapsed()
	return nil
}

// drop gives up what was taken.
func (q *query) drop() {
	q.taken = false
	q.source.mu.Lock()
	defer q.source.mu.Unlock()
	for i, sm := range q.picks {
		if sm != nil {
			q.source.release(sm)
		}
		q.picks[i] = nil
	}
}

// Close implements winperf.Query. What the query has seen is forgotten with it.
func (q *query) Close() error {
	q.drop()
	s := q.source
	s.mu.Lock()
	delete(s.open, q)
	s.mu.Unlock()
	if q.alone == nil {
		return nil
	}
	inner := q.alone
	q.alone = nil
	return inner.Close()
}

// Sample implements winperf.Query: all wanted objects of one sample, and
// whatever else it holds. It serves those who know bytes only; Take and Frame
// share more.
func (q *query) Sample(ctx context.Context, raw *winperf.Raw) error {
	q.drop()
	if err := ctx.Err(); err != nil {
		return err
	}
	defer q.drop()
	if err := q.take(ctx, true); err != nil {
		return err
	}
	from := q.picks[0].frame.Raw()
	raw.Format, raw.Quirks, raw.Clocks, raw.Schema = from.Format, from.Quirks, from.Clocks, from.Schema
	raw.Bytes = append(raw.Bytes[:0], from.Bytes...)
	return nil
}

// Frame implements measure.FrameQuery: it decodes what Take took, as far as
// nobody else did, and joins the wanted objects into one frame. It returns the
// frame, which the caller is to release; damage is the frame's. The error tells
// that nothing could be read.
func (q *query) Frame() (frame.Frame, error) {
	if !q.taken {
		return frame.Frame{}, fmt.Errorf("frame of a query that took no sample: %w", winperf.ErrState)
	}
	defer q.drop()
	err := q.decode()
	more := q.gather()
	if err != nil && len(q.objects) == 0 {
		return frame.Frame{}, err
	}
	head := q.head()
	q.damage = q.damage[:0]
	for _, sm := range q.samples {
		if sm != head {
			q.damage = append(q.damage, sm.frame.Damage()...)
		}
		if sm.err != nil {
			q.damage = append(q.damage, sm.err)
		}
	}
	f, err := q.source.joins.Join(head.frame, q.damage, q.objects...)
	q.drop()
	if more != nil {
		q.want(more, head)
	}
	return f, err
}

// head is the newest of the samples, of those that could be read if there are
// any; its clocks are the frame's.
func (q *query) head() *sample {
	head := q.samples[0]
	for _, sm := range q.samples[1:] {
		if bad := sm.unreadable(); bad != head.unreadable() {
			if !bad {
				head = sm
			}
		} else if sm.at > head.at {
			head = sm
		}
	}
	return head
}

// decode decodes the samples that objects were picked from and returns the
// first error.
func (q *query) decode() (err error) {
	q.samples = q.samples[:0]
	for _, sm := range q.picks {
		if slices.Contains(q.samples, sm) {
			continue
		}
		q.samples = append(q.samples, sm)
		if e := q.source.decode(sm); err == nil {
			err = e
		}
	}
	return err
}

// gather finds the wanted objects in the samples. It returns what is wanted
// from the next sample on, if that is something else.
func (q *query) gather() (more []winperf.ObjectID) {
	q.objects = q.objects[:0]
	if len(q.wanted) == 0 {
		return q.gatherAll()
	}
	next := 0 // where the object is, if the sample has them in this order
	for i, sm := range q.picks {
		if o, ok := lookUp(sm.frame, next, q.wanted[i]); ok {
			q.objects = append(q.objects, o)
			next = o.Position() + 1
		}
	}
	if len(q.samples) == 1 && q.samples[0].frame.NumObjects() > len(q.objects) {
		return q.gatherNew(q.samples[0])
	}
	return nil
}

func lookUp(f frame.Frame, near int, id winperf.ObjectID) (frame.Object, bool) {
	if near < f.NumObjects() {
		if o := f.Object(near); o.ID() == id {
			return o, true
		}
	}
	return f.Find(id)
}

// gatherAll takes all that a sample for this query alone holds.
func (q *query) gatherAll() (ids []winperf.ObjectID) {
	for o := range q.picks[0].frame.Objects() {
		q.objects = append(q.objects, o)
		ids = append(ids, o.ID())
	}
	return ids
}

// gatherNew takes the objects that are new in a class which the sample was to
// hold whole, and which is wanted whole.
func (q *query) gatherNew(sm *sample) (ids []winperf.ObjectID) {
	schema := sm.frame.Raw().Schema
	for o := range sm.frame.Objects() {
		id := o.ID()
		wanted := sm.class.global && q.sel.Global
		if schema != nil && slices.Contains(schema.Costly, id.Index) {
			wanted = sm.class.costly && q.sel.Costly
		}
		if wanted && !slices.Contains(q.wanted, id) {
			ids = append(ids, id)
			q.objects = append(q.objects, o)
		}
	}
	if ids == nil {
		return nil
	}
	return append(slices.Clone(q.wanted), ids...)
}
