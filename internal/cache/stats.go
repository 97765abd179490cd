package cache

import (
	"cmp"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/sorted"
)

// Stats are the counts of a cache since it was made.
type Stats struct {
	Queries  uint64 // of the source
	Entities int    // open queries of the cache
	// Bans are the pairs of an object and a query that has its newest sample and will not
	// get it again.
	Bans    int
	Objects []ObjectStats // ordered by identity
}

// ObjectStats are the counts and the age of one object.
type ObjectStats struct {
	ObjectID winperf.ObjectID
	Counts
	Bans int // queries that have the newest sample
	// Age is the time since the newest sample. Taken is its time by the current time of
	// day; zero if no sample is kept.
	Taken time.Time
	Age   time.Duration
}

// Counts are the events of one object.
type Counts struct {
	Hits      uint64 // found in the cache
	Misses    uint64 // not found; of these:
	Banned    uint64 // refused because the query has the newest sample
	Stale     uint64 // too old
	Joined    uint64 // from a running query
	Refreshes uint64 // new samples, requested or not
}

// Stats returns the current counts.
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

	sorted.Func(st.Objects, func(a, b ObjectStats) int {
		one, other := a.ObjectID, b.ObjectID
		return cmp.Or(cmp.Compare(one.Index, other.Index), slices.Compare(one.GUID[:], other.GUID[:]))
	})
	return st
}
