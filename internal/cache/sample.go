package cache

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// sample is one sample of the source, kept permanently. The first reader decodes its blocks.
type sample struct {
	from         winperf.Sample
	began, ended stamp              // of its query
	at           time.Duration      // end time, by the clock's Elapsed
	start        time.Time          // start time, by package time, for NotBefore
	requested    requested          // the request to the source
	ids          []winperf.ObjectID // objects in it, after decoding; guarded by Source.mu
}

// newSample keeps a sample that a query of the source filled.
func newSample(from *winperf.Sample) *sample {
	from.Keep()
	return &sample{from: winperf.Sample{Schema: from.Schema, Parts: from.Parts, Damage: from.Damage}}
}

// look updates the objects of the sample if it was decoded. readable is false if all of it was
// unreadable.
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

// updateObjects inserts the objects of samples decoded since the previous call, and forgets samples
// that were replaced for all objects. The caller holds Source.mu.
func (s *Source) updateObjects() {
	all := s.fresh
	s.fresh = s.fresh[:0]
	for _, sm := range all {
		if decoded, readable := sm.look(); decoded {
			s.table.insertOthers(sm, readable)
		} else if s.table.has(sm) {
			s.fresh = append(s.fresh, sm)
		}
	}
	clear(all[len(s.fresh):])
}

// addTo adds the picked objects of a sample to s, or all if only is nil. again reports that s
// already has parts of this sample: parts without objects are added once.
func (sm *sample) addTo(s *winperf.Sample, only []winperf.ObjectID, again bool) {
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
