package cache

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/schedule"
)

// table is the cache proper: the newest sample of each object, and the rules of
// which query may have it. Its owner locks it.
type table struct {
	clock     schedule.Clock
	freshness time.Duration

	items map[winperf.ObjectID]*item // none is ever taken out, so that queries may keep them
	steps stamp                      // what began and ended so far
	swept time.Duration              // by the clock's Elapsed, as all times here are
}

// stamp puts the beginnings and ends of queries in order. A sample that began
// after another one ended is newer; of two that were under way at the same time
// no order is known.
type stamp uint64

func (t *table) step() stamp {
	t.steps++
	return t.steps
}

// item is the newest sample of one object. It stays when the sample is dropped
// for its age.
type item struct {
	id     winperf.ObjectID
	sample *sample // nil: none, or dropped
	landed stamp   // of the sample
	at     time.Duration
	counts Counts
	flight *flight // the query under way that asks for the object, nil for none
}

// ban is what keeps an entity, one query, from an object: the end of the newest
// sample of it that the entity has. It gets only what began later.
type ban stamp

func (b ban) from(s *sample) bool { return stamp(b) >= s.began }

// give bans a query that was given a sample.
func (b *ban) give(s *sample) { *b = ban(s.landed) }

func newTable(opt Options) table {
	return table{clock: opt.Clock, freshness: opt.Freshness, items: map[winperf.ObjectID]*item{}}
}

// item returns the item of an object, made where there is none.
func (t *table) item(id winperf.ObjectID) *item {
	it := t.items[id]
	if it == nil {
		it = &item{id: id}
		t.items[id] = it
	}
	return it
}

// find looks for an object on behalf of an entity, which wants some of it. A hit bans the entity
// from the object. A miss changes nothing but counts. What was begun
// by the time after is not fresh, see NotBefore.
func (t *table) find(it *item, b *ban, wanted need, now time.Duration, after time.Time) *sample {
	switch {
	case it.sample == nil, !it.sample.asked.needs.of(it.id).covers(wanted):
	case b.from(it.sample):
		it.counts.Banned++
	case !t.fresh(it, now), !begunAfter(it.sample.start, after):
		it.counts.Stale++
	default:
		it.counts.Hits++
		b.give(it.sample)
		return it.sample
	}
	it.counts.Misses++
	return nil
}

// fresh reports whether an object is young enough to be handed out.
func (t *table) fresh(it *item, now time.Duration) bool { return now-it.at <= t.freshness }

// begunAfter reports whether what was begun at a time may be given to one who refuses what was
// begun by another time; zero refuses nothing.
func begunAfter(start, after time.Time) bool { return after.IsZero() || start.After(after) }

// insert makes a sample the newest of an object, unless it may be older than the
// one that is.
func (t *table) insert(it *item, s *sample) {
	if it.landed >= s.began {
		return
	}
	it.sample, it.landed, it.at = s, s.landed, s.at
	it.counts.Refreshes++
}

// learnOf inserts the objects that came along unasked with a sample, which was decoded. One that
// cannot be read is dropped, so that the next query takes another one.
func (t *table) learnOf(sm *sample, readable bool) {
	for _, id := range sm.ids {
		if it := t.item(id); it.sample != sm {
			t.insert(it, sm) // the query that took it has no ban: it does not want the object
		}
	}
	for _, it := range t.items {
		if it.sample == sm && !readable {
			it.sample = nil
		}
	}
}

// has reports whether a sample is the newest of an object.
func (t *table) has(sm *sample) bool {
	for _, it := range t.items {
		if it.sample == sm {
			return true
		}
	}
	return false
}

// idle is how long an object is kept that is not refreshed: it can be of no use
// any more but for the names that the next sample of it may share.
const idle = time.Minute

// sweep drops samples of objects that were not refreshed for long, now and then.
func (t *table) sweep() {
	now := t.clock.Elapsed()
	if now-t.swept < idle {
		return
	}
	t.swept = now
	for _, it := range t.items {
		if it.sample != nil && now-it.at > max(idle, t.freshness) {
			it.sample = nil
		}
	}
}
