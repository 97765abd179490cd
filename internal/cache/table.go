package cache

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/schedule"
)

// table holds the newest sample of each object and decides which query may have it. Its
// owner locks it.
type table struct {
	clock     schedule.Clock
	freshness time.Duration

	items map[winperf.ObjectID]*item // never removed, so queries may keep them
	steps stamp                      // counts begins and ends
	swept time.Duration              // by the clock's Elapsed, as all times here
}

// stamp orders the begins and ends of queries. A sample that began after the end of another
// one is newer; overlapping ones have no order.
type stamp uint64

func (t *table) step() stamp {
	t.steps++
	return t.steps
}

// item is the newest sample of one object. It remains when an old sample is dropped.
type item struct {
	id     winperf.ObjectID
	sample *sample // nil: none, or dropped
	ended  stamp   // of the sample
	at     time.Duration
	counts Counts
	flight *flight // the running query for the object, or nil
}

// ban keeps a query from an object: the end of the newest sample that it has. It gets only
// samples that began later.
type ban stamp

func (b ban) from(s *sample) bool { return stamp(b) >= s.began }

// set bans a query that got a sample.
func (b *ban) set(s *sample) { *b = ban(s.ended) }

func newTable(opt Options) table {
	return table{clock: opt.Clock, freshness: opt.Freshness, items: map[winperf.ObjectID]*item{}}
}

// item returns the item of an object, a new one if needed.
func (t *table) item(id winperf.ObjectID) *item {
	it := t.items[id]
	if it == nil {
		it = &item{id: id}
		t.items[id] = it
	}
	return it
}

// find looks for an object for a query with needs. A hit bans the query from the object. A
// miss only changes counts. Samples begun at the time after or earlier are stale, see
// NotBefore.
func (t *table) find(it *item, b *ban, required need, now time.Duration, after time.Time) *sample {
	switch {
	case it.sample == nil, !it.sample.request.needs.of(it.id).covers(required):
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

func (t *table) fresh(it *item, now time.Duration) bool { return now-it.at <= t.freshness }

// begunAfter reports whether a sample begun at start satisfies the limit after; zero is no
// limit.
func begunAfter(start, after time.Time) bool { return after.IsZero() || start.After(after) }

// insert makes a sample the newest of an object, unless it may be older than the current
// one.
func (t *table) insert(it *item, s *sample) {
	if it.ended >= s.began {
		return
	}
	it.sample, it.ended, it.at = s, s.ended, s.at
	it.counts.Refreshes++
}

// updateFrom inserts the unrequested objects of a decoded sample. An unreadable sample is
// dropped, so that the next query takes a new one.
func (t *table) updateFrom(sm *sample, readable bool) {
	for _, id := range sm.ids {
		if it := t.item(id); it.sample != sm {
			t.insert(it, sm) // no ban for the query that took it: it does not select the object
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

// idle is how long an object without refresh is kept. It is then useful only for names that
// the next sample may share.
const idle = time.Minute

// sweep drops old samples, at most once per idle.
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
