package cache

import (
	"cmp"
	"slices"
	"time"

	"github.com/winperf/winperf"
)

// Stats are what a cache did since it was made.
type Stats struct {
	Queries  uint64 // that reached the source
	Entities int    // queries of the cache that are open
	// Bans are the pairs of an object and a query that has its newest sample and
	// will not get it again.
	Bans    int
	Objects []ObjectStats // in the order of their identities
}

// ObjectStats are what a cache did with one object, and how old it is.
type ObjectStats struct {
	ObjectID winperf.ObjectID
	Counts
	Bans int // queries that have the newest sample
	// Age is the time since the newest sample was taken. Taken is when that was, by
	// the time of day as it is now; the zero time where none is kept any more.
	Taken time.Time
	Age   time.Duration
}

// Counts are what happened to one object.
type Counts struct {
	Hits      uint64 // handed out from memory
	Misses    uint64 // asked for in vain; of these:
	Banned    uint64 // refused because the asker had the newest sample
	Stale     uint64 // too old
	Joined    uint64 // given from a query that was under way
	Refreshes uint64 // new samples, asked for or not
}

// Stats returns what the cache did until now.
func (s *Source) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Stats{Queries: s.queries, Entities: len(s.open)}
	now, today := s.clock.Elapsed(), s.clock.Now()

	bans := map[*item]int{}
	for q := range s.open {
		for i, it := range q.items {
			if it.sample != nil && q.bans[i].from(it.sample) {
				bans[it]++
			}
		}
	}

	for id, it := range s.table.items {
		o := ObjectStats{ObjectID: id, Counts: it.counts}
		if it.sample != nil {
			o.Age, o.Bans = now-it.at, bans[it]
			o.Taken = today.Add(-o.Age)
		}
		st.Bans += o.Bans
		st.Objects = append(st.Objects, o)
	}

	slices.SortFunc(st.Objects, func(a, b ObjectStats) int {
		one, other := a.ObjectID, b.ObjectID
		return cmp.Or(cmp.Compare(one.Index, other.Index), slices.Compare(one.GUID[:], other.GUID[:]))
	})
	return st
}
