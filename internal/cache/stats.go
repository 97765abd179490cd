package cache

import (
	"cmp"
	"slices"
	"time"

	"github.com/winperf/winperf"
)

// Stats counts the work of a cache since it was made.
type Stats struct {
	Queries  uint64 // queries of the underlying source
	Entities int    // open queries of the cache
	// Bans is the number of pairs of an object and a query that has its newest sample.
	Bans    int
	Objects []ObjectStats // in the order of their identities
}

// ObjectStats counts the work of a cache for one object, and has its age.
type ObjectStats struct {
	ObjectID winperf.ObjectID
	Counts
	Bans int // queries with the newest sample
	// Age is the age of the newest sample, and Taken its time by the current time of day; zero if
	// none is kept.
	Taken time.Time
	Age   time.Duration
}

// Counts counts events of one object.
type Counts struct {
	Hits      uint64 // requests served from the cache
	Misses    uint64 // requests not served; of these:
	Banned    uint64 // the query already had the newest sample
	Stale     uint64 // too old
	Joined    uint64 // requests served by a running query
	Refreshes uint64 // new samples, requested or not
}

// Stats returns the current statistics.
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
