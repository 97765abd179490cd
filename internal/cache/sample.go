package cache

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// sample is one sample of the source, kept for good. Its blocks are decoded by the first reader
// that needs them.
type sample struct {
	from          winperf.Sample
	began, landed stamp              // of its query
	at            time.Duration      // when it landed, by the clock's Elapsed
	start         time.Time          // when it was begun, by package time, for NotBefore
	asked         asked              // the objects that the source was asked for
	ids           []winperf.ObjectID // that it holds, once it was decoded; guarded by Source.mu
}

// newSample keeps a sample that a query of the source filled.
func newSample(from *winperf.Sample) *sample {
	from.Keep()
	return &sample{from: winperf.Sample{Schema: from.Schema, Parts: from.Parts, Damage: from.Damage}}
}

// look finds out which objects the sample holds, if it was decoded. readable is
// false when nothing of it could be read.
func (sm *sample) look() (decoded, readable bool) {
	sm.ids = nil
	for i := range sm.from.Parts {
		b := sm.from.Parts[i].Block
		if b == nil {
			continue
		}
		contents, err := b.Decoded()
		decoded, readable = decoded || contents != nil, readable || err == nil
		sm.ids = frame.AppendObjects(sm.ids, b)
	}
	return decoded, readable
}

// learn finds out which objects samples hold that were decoded meanwhile. Samples of which the
// table has no object any more are forgotten. Source.mu is locked.
func (s *Source) learn() {
	all := s.fresh
	s.fresh = s.fresh[:0]
	for _, sm := range all {
		if decoded, readable := sm.look(); decoded {
			s.table.learnOf(sm, readable)
		} else if s.table.has(sm) {
			s.fresh = append(s.fresh, sm)
		}
	}
	clear(all[len(s.fresh):])
}

// give adds the objects of a sample that were picked to what a query gives; all of
// them where only is nil. Parts without objects are added once: not again for further
// objects of the same sample.
func (sm *sample) give(s *winperf.Sample, only []winperf.ObjectID, again bool) {
	for _, p := range sm.from.Parts {
		switch {
		case p.Block != nil:
			p.Only = only
		case again:
			continue
		}
		s.Parts = append(s.Parts, p)
	}

	for _, err := range sm.from.Damage {
		if !slices.Contains(s.Damage, err) {
			s.Damage = append(s.Damage, err)
		}
	}
}
