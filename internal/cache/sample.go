package cache

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// sample is one sample of the source. Its blocks are decoded by the first reader
// that needs them.
type sample struct {
	from          winperf.Sample
	began, landed stamp         // of its query
	at            time.Duration // when it landed, by the clock's Elapsed
	start         time.Time     // when it was begun, by package time, for winperf.NotBefore
	asked         asked         // what it was to hold
	alone         bool          // it serves one query only

	// Guarded by Source.mu. At 0 references the blocks are released and the sample
	// serves again. The references are those of items and of queries that picked
	// it.
	refs int
	ids  []winperf.ObjectID // that it holds, once it was decoded
}

// maxFree bounds the samples that are kept for the next time.
const maxFree = 8

// newSample returns an empty sample with one reference.
func (s *Source) newSample() *sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sm *sample
	if n := len(s.free); n > 0 {
		sm = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		sm = &sample{}
	}
	*sm = sample{from: sm.from, asked: asked{ids: sm.asked.ids[:0]}, ids: sm.ids[:0], refs: 1}
	return sm
}

// release gives up a reference. Source.mu is locked.
func (s *Source) release(sm *sample) {
	if sm.refs--; sm.refs > 0 {
		return
	}
	sm.from.Release() // queries that were given the blocks hold them, too
	s.fresh = slices.DeleteFunc(s.fresh, func(other *sample) bool { return other == sm })
	if len(s.free) < maxFree {
		s.free = append(s.free, sm)
	}
}

// share has the blocks decoded and cooked once for all that get them. Those of a source that is a cache itself
// are shared already, and others are reading them.
func (sm *sample) share() {
	for i := range sm.from.Parts {
		if b := sm.from.Parts[i].Block; b != nil && !b.Shared {
			b.Shared = true
		}
	}
}

// look finds out which objects the sample holds, as far as it was decoded. readable is
// false when nothing of it could be read.
func (sm *sample) look() (decoded, readable bool) {
	for i := range sm.from.Parts {
		b := sm.from.Parts[i].Block
		if b == nil {
			continue
		}
		done, _, err := b.Outcome()
		decoded, readable = decoded || done, readable || err == nil
		sm.ids = frame.AppendObjects(sm.ids, b)
	}
	return decoded, readable
}

// learn finds out what samples hold that were decoded meanwhile. Source.mu is locked.
func (s *Source) learn() {
	// Learning of one may release others, which are taken out of the list then.
	for i := len(s.fresh) - 1; i >= 0; i = min(i, len(s.fresh)) - 1 {
		sm := s.fresh[i]
		sm.ids = sm.ids[:0]
		decoded, readable := sm.look()
		if !decoded {
			continue
		}

		sm.refs++ // it may be forgotten
		s.fresh = slices.Delete(s.fresh, i, i+1)
		if !sm.alone {
			s.learnOf(sm, readable)
		}
		s.release(sm)
	}
}

// learnOf inserts the objects that came along unasked with a sample, and forgets one
// that cannot be read.
func (s *Source) learnOf(sm *sample, readable bool) {
	for _, id := range sm.ids {
		it := s.table.item(id)
		if it.sample == sm {
			continue
		}
		// The query that took it has no ban: it does not want the object.
		if replaced := s.table.insert(it, sm); replaced != nil {
			s.release(replaced)
		}
	}

	if !readable {
		s.forget(sm)
	}
}

// forget drops a sample that cannot be read, so that the next query takes another
// one.
func (s *Source) forget(sm *sample) {
	for _, it := range s.table.items {
		if it.sample == sm {
			it.sample = nil
			s.release(sm)
		}
	}
}

// give adds the objects of a sample that were picked to what a query gives; all of
// them where only is nil.
func (sm *sample) give(s *winperf.Sample, only []winperf.ObjectID) {
	for _, p := range sm.from.Parts {
		if p.Block != nil {
			p.Block.Retain()
			p.Only = only
		}
		s.Parts = append(s.Parts, p)
	}
	for _, err := range sm.from.Damage {
		if !slices.Contains(s.Damage, err) {
			s.Damage = append(s.Damage, err)
		}
	}
}
