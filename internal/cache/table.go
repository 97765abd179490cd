package cache

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/schedule"
)

// table has the newest sample of each object and the rules for its use. Its owner locks it.
type table struct {
	clock     schedule.Clock
	freshness time.Duration

	items map[winperf.ObjectID]*item // never removed, so that queries may keep them
	steps stamp                      // number of starts and ends
	swept time.Duration              // by the clock's Elapsed, as all times here
}

// stamp orders the starts and ends of queries. A sample that began after the end of another one is
// newer; samples of concurrent queries have no order.
type stamp uint64

func (t *table) step() stamp {
	t.steps++
	return t.steps
}

// item is the newest sample of one object. The item remains when the sample is dropped for its age.
type item struct {
	id     winperf.ObjectID
	sample *sample // nil: none, or dropped
	ended  stamp   // end of the sample
	at     time.Duration
	counts Counts
	flight *flight // the running query for the object, nil for none
}

// ban is the end of the newest sample of an object that a query has. The query gets only samples
// begun later.
type ban stamp

func (b ban) from(s *sample) bool { return stamp(b) >= s.began }

// set bans the sample, and older ones, for a query that received it.
func (b *ban) set(s *sample) { *b = ban(s.ended) }

func newTable(opt Options) table {
	return table{clock: opt.Clock, freshness: opt.Freshness, items: map[winperf.ObjectID]*item{}}
}

// item returns the item of an object, making it if necessary.
func (t *table) item(id winperf.ObjectID) *item {
	it := t.items[id]
	if it == nil {
		it = &item{id: id}
		t.items[id] = it
	}
	return it
}

// find looks up an object for a query with a need. A hit bans the sample for the query. A miss only
// changes counts. Samples begun at after or earlier are not fresh, see NotBefore.
func (t *table) find(it *item, b *ban, wanted need, now time.Duration, after time.Time) *sample {
	switch {
	case it.sample == nil, !it.sample.requested.needs.of(it.id).covers(wanted):
	case b.from(it.sample):
		it.counts.Banned++
	case !t.fresh(it, now), !begunAfter(it.sample.start, after):
		it.counts.Stale++
	default:
		it.counts.Hits++
		b.set(it.sample)
		return it.sample
	}
	it.counts.Misses++
	return nil
}

// fresh reports whether an object is young enough for use.
func (t *table) fresh(it *item, now time.Duration) bool { return now-it.at <= t.freshness }

// begunAfter reports whether start is after the limit; a zero limit permits all.
func begunAfter(start, after time.Time) bool { return after.IsZero() || start.After(after) }

// insert makes a sample the newest of an object, unless it may be older than the current one.
func (t *table) insert(it *item, s *sample) {
	if it.ended >= s.began {
		return
	}
	it.sample, it.ended, it.at = s, s.ended, s.at
	it.counts.Refreshes++
}

// insertOthers inserts the objects of a decoded sample that were not requested. If all of it was
// unreadable, it is dropped, so that the next query takes another one.
func (t *table) insertOthers(sm *sample, readable bool) {
	for _, id := range sm.ids {
		if it := t.item(id); it.sample != sm {
			t.insert(it, sm) // the query did not request the object: no ban
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

// idle is the time after which a sample that was not refreshed is dropped: only its names could
// still be shared.
const idle = time.Minute

// sweep drops idle samples at intervals.
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
