package cache

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// sample is one kept sample of the source. The first reader decodes its blocks.
type sample struct {
	from         winperf.Sample
	began, ended stamp              // of its query
	at           time.Duration      // end of the query, by the clock's Elapsed
	start        time.Time          // begin, by package time, for NotBefore
	request      request            // the requested objects
	ids          []winperf.ObjectID // its objects, once decoded; guarded by Source.mu
}

func newSample(from *winperf.Sample) *sample {
	from.Keep()
	return &sample{from: winperf.Sample{Schema: from.Schema, Parts: from.Parts, Damage: from.Damage}}
}

// look reads the objects of the sample, if it was decoded. readable is false if nothing of
// it is readable.
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

// update reads the objects of samples that were decoded meanwhile. Samples without an object
// in the table are removed. Source.mu is locked.
func (s *Source) update() {
	all := s.fresh
	s.fresh = s.fresh[:0]
	for _, sm := range all {
		if decoded, readable := sm.look(); decoded {
			s.table.updateFrom(sm, readable)
		} else if s.table.has(sm) {
			s.fresh = append(s.fresh, sm)
		}
	}
	clear(all[len(s.fresh):])
}

// addTo adds the parts of a sample to s, limited to the objects in only; nil is no limit. again means that
// parts without objects were added before.
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
