package cache

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf/frame"
)

// sample is one sample of the source. It is decoded by the first who needs it.
type sample struct {
	frame         frame.Frame
	began, landed stamp         // of its query
	at            time.Duration // when it landed, by the clock's Elapsed
	alone         bool          // it serves one query only
	class         asked         // which classes it was to hold whole; no ids

	// Guarded by Source.mu. At 0 references the frame is released and the sample
	// serves again. The references are those of items, of queries that picked it
	// and of newer samples that are to share its names.
	refs  int
	prior []*sample // decoded ones that it replaced; held until it is decoded

	decoding sync.Mutex // never taken by who holds Source.mu
	decoded  atomic.Bool
	err      error          // of decoding
	objects  []frame.Object // scratch
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
	sm.frame, sm.alone, sm.class, sm.refs, sm.err = s.frames.Get(), false, asked{}, 1, nil
	sm.decoded.Store(false)
	return sm
}

// release gives up a reference. Source.mu is locked.
func (s *Source) release(sm *sample) {
	if sm.refs--; sm.refs > 0 {
		return
	}
	_ = sm.frame.Release() // whoever was handed the frame holds it, too
	s.releasePrior(sm)
	sm.frame = frame.Frame{}
	if len(s.free) < maxFree {
		s.free = append(s.free, sm)
	}
}

func (s *Source) releasePrior(sm *sample) {
	for _, p := range sm.prior {
		s.release(p)
	}
	clear(sm.prior)
	sm.prior = sm.prior[:0]
}

// succeed makes sm follow the sample that it replaced as the newest of an
// object: it takes over the reference to share names, or gives it up.
func (s *Source) succeed(sm, replaced *sample) {
	if replaced == nil {
		return
	}
	for _, p := range sm.prior {
		if p == replaced {
			s.release(replaced)
			return
		}
	}
	// What is not decoded yet may itself hold older ones: no chains.
	if !replaced.decoded.Load() {
		s.release(replaced)
		return
	}
	sm.prior = append(sm.prior, replaced)
}

// decode decodes a sample, once, and inserts the objects that came along
// unasked. The caller holds a reference.
func (s *Source) decode(sm *sample) error {
	sm.decoding.Lock()
	defer sm.decoding.Unlock()
	if sm.decoded.Load() {
		return sm.err
	}
	before := s.before(sm)
	sm.err = sm.frame.Decode(before)
	_ = before.Release()
	sm.frame.Share()
	sm.decoded.Store(true)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.releasePrior(sm)
	if sm.alone {
		return sm.err
	}
	for o := range sm.frame.Objects() {
		it := s.table.item(o.ID())
		if it.sample == sm {
			continue
		}
		// Who took it has no ban: he does not want the object.
		if replaced := s.table.insert(it, sm); replaced != nil {
			s.release(replaced)
		}
	}
	if sm.unreadable() {
		s.forget(sm)
	}
	return sm.err
}

// unreadable tells that decoding gave nothing.
func (sm *sample) unreadable() bool { return sm.err != nil && sm.frame.NumObjects() == 0 }

// before returns a frame with the objects that a sample replaced, whose names
// it may share. It is to be released.
func (s *Source) before(sm *sample) frame.Frame {
	switch len(sm.prior) {
	case 0:
		return frame.Frame{}
	case 1:
		f := sm.prior[0].frame
		if f.Retain() != nil {
			return frame.Frame{}
		}
		return f
	}
	sm.objects = sm.objects[:0]
	for _, p := range sm.prior {
		for o := range p.frame.Objects() {
			sm.objects = append(sm.objects, o)
		}
	}
	f, err := s.joins.Join(sm.prior[0].frame, nil, sm.objects...)
	clear(sm.objects)
	if err != nil {
		return frame.Frame{} // names are decoded anew
	}
	return f
}

// forget drops a sample that cannot be read, so that the next who asks takes
// another one.
func (s *Source) forget(sm *sample) {
	for _, it := range s.table.items {
		if it.sample == sm {
			it.sample = nil
			s.release(sm)
		}
	}
}
