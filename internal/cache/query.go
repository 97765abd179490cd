package cache

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
)

// query is one user of the cache: the winperf.Query of a Source.
type query struct {
	source *Source
	sel    winperf.Selection
	wanted []winperf.ObjectID
	needs  needs
	since  *needs // those of all queries since this one is among them

	// By position in wanted: the object in the cache, what the query has seen
	// of it, and what Next gave. Guarded by Source.mu.
	items []*item
	bans  []ban
	picks []*sample

	// alone samples with the selection as it is, for this query only, as long
	// as none of the wanted objects is known.
	alone     winperf.Query
	aloneLast winperf.Sample

	flight  *flight
	missing []int // positions in wanted that must be asked for
	asking  []winperf.ObjectID
	waits   []wait
	damage  []error // that came with the error of Next
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
		if _, named := q.needs[id]; !named {
			q.needs[id] = need{whole: true}
		}
	}

	s.join(q)
	q.since = s.needs
}

// Next implements winperf.Query: it takes the objects that are in the cache, waits for
// those that others are asking for, and asks for the rest.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	q.learn()
	clear(q.picks)
	if err := ctx.Err(); err != nil {
		return err
	}

	if err := q.take(ctx); err != nil {
		clear(q.picks)
		s.Damage = append(s.Damage, q.damage...)
		q.damage = nil
		return err
	}
	q.give(s)
	return nil
}

// give hands over what was picked, in the order in which it is wanted: each run of
// objects of one sample is a part.
func (q *query) give(s *winperf.Sample) {
	if len(q.wanted) == 0 {
		q.picks[0].give(s, nil, false)
		s.Schema = q.picks[0].from.Schema
		return
	}

	newest := q.picks[0]
	for from := 0; from < len(q.picks); {
		sm, end := q.picks[from], from+1
		for end < len(q.picks) && q.picks[end] == sm {
			end++
		}

		only := q.wanted[from:end:end]
		wanted := asked{ids: q.wanted, global: q.sel.Global, costly: q.sel.Costly}
		if len(only) == len(q.wanted) && sm.asked.sameObjects(wanted) {
			only = nil // what is new in a class that is wanted comes along
		}

		sm.give(s, only, slices.Contains(q.picks[:from], sm))
		if sm.at > newest.at {
			newest = sm
		}
		from = end
	}
	s.Schema = newest.from.Schema
}

// learn finds out what the query was given last, as far as that was decoded.
func (q *query) learn() {
	q.source.mu.Lock()
	q.source.learn()
	var more []winperf.ObjectID
	sm := q.only()
	if sm != nil {
		more = q.news(sm)
	}
	q.source.mu.Unlock()

	if len(more) > 0 {
		q.want(more, sm)
	}
}

// only is the sample that all objects were given from, nil where there are several or none.
func (q *query) only() *sample {
	if len(q.picks) == 0 || slices.ContainsFunc(q.picks, func(sm *sample) bool { return sm != q.picks[0] }) {
		return nil
	}
	return q.picks[0]
}

// news are the objects that are wanted from now on, nil where these are the same:
// those of a sample for this query alone, or such that are new in a class which the
// sample was to hold whole, and which is wanted whole.
func (q *query) news(sm *sample) []winperf.ObjectID {
	if len(q.wanted) == 0 {
		sm.look() // it is of this query alone
		return slices.Clone(sm.ids)
	}
	var found []winperf.ObjectID
	for _, id := range sm.ids {
		wanted := sm.asked.global && q.sel.Global
		if schema := sm.from.Schema; schema != nil && slices.Contains(schema.Costly, id.Index) {
			wanted = sm.asked.costly && q.sel.Costly
		}
		if wanted && !slices.Contains(q.wanted, id) {
			found = append(found, id)
		}
	}

	if found == nil {
		return nil
	}
	return append(slices.Clone(q.wanted), found...)
}

// take gets a sample of every wanted object.
func (q *query) take(ctx context.Context) error {
	if len(q.wanted) == 0 {
		return q.takeAlone(ctx)
	}
	for {
		if err := q.look(notBeforeOf(ctx)); err != nil {
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
// or is asked for. What was begun by the time after is no use.
func (q *query) look(after time.Time) error {
	s := q.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed()
	}
	s.learn()
	if s.left {
		s.count()
	}
	q.missing, q.asking, q.waits = q.missing[:0], q.asking[:0], q.waits[:0]
	q.lookEach(s.clock.Elapsed(), after)
	if len(q.missing) > 0 {
		q.begin()
	}
	return nil
}

// lookEach takes each object from where it is.
func (q *query) lookEach(now time.Duration, after time.Time) {
	for i, it := range q.items {
		if q.picks[i] != nil {
			continue
		}
		if q.picks[i] = q.source.table.find(it, &q.bans[i], q.since.of(it.id), now, after); q.picks[i] != nil {
			continue
		}
		f := it.flight
		if f != nil && f.began > stamp(q.bans[i]) && begunAfter(f.start, after) &&
			f.needs.of(it.id).covers(q.since.of(it.id)) {
			q.wait(f, i)
		} else {
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

func errClosed() error { return fmt.Errorf("the cache is closed: %w", winperf.ErrState) }

// ask asks the source for what is missing.
func (q *query) ask(ctx context.Context) error {
	if len(q.missing) == 0 {
		return nil
	}
	a := asked{ids: q.asking, needs: q.flight.needs}
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
	return nil
}

// await waits for what others ask for. again tells that some of it has to be
// looked for once more.
func (q *query) await(ctx context.Context) (again bool, err error) {
	for i, w := range q.waits {
		retry, err := w.flight.await(ctx)
		if err != nil {
			q.damage = w.flight.damage
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
		w.flight.leave(q, w.at)
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

	err := q.alone.Next(ctx, &q.aloneLast)
	sm := newSample(&q.aloneLast)
	if err != nil {
		q.damage = sm.from.Damage
		return err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	q.picks = append(q.picks[:0], sm)
	sm.landed, sm.at = s.table.step(), s.clock.Elapsed()
	return nil
}

// Close implements winperf.Query. What the query has seen is forgotten with it.
func (q *query) Close() error {
	s := q.source
	s.mu.Lock()
	if _, open := s.open[q]; open {
		delete(s.open, q)
		s.left = true
	}
	s.mu.Unlock()

	if q.alone == nil {
		return nil
	}
	inner := q.alone
	q.alone = nil
	return inner.Close()
}
