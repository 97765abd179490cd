package frame

import (
	"fmt"

	"github.com/winperf/winperf/counter"
)

// Join returns a frame of objects that stand in other frames, in the order
// given: some of a frame's objects, or such of several samples. Nothing is
// copied; every object keeps the values, names and clocks of its own sample
// (see [Object.Clocks]). What a frame says apart from its objects (Time,
// Clocks, Machine, Damage and the schema of its Raw) is that of head, which must
// be decoded; further damage may be added.
//
// The caller must hold the frames that head and objects come from. The joined
// frame holds them as well, until it is given back itself. It is ready for
// reading, so Decode is not called, and its Raw has no bytes. The error is that
// of Retain.
func (p *Pool) Join(head Frame, damage []error, objects ...Object) (Frame, error) {
	f := p.Get()
	s := f.store
	err := s.hold(head.store)
	s.raw.Schema = head.raw.Schema
	s.index.Data, s.index.Machine, s.index.Clocks = head.index.Data, head.index.Machine, head.index.Clocks
	s.index.Damage = append(append(s.index.Damage, head.index.Damage...), damage...)
	for i, o := range objects {
		if err == nil {
			err = s.hold(o.s)
		}
		s.index.Objects = append(s.index.Objects, *o.def())
		s.labels = append(s.labels, o.Labels())
		s.joined = append(s.joined, Object{s: o.s, pos: o.pos, at: i})
	}
	if err != nil {
		_ = f.Release()
		return Frame{}, err
	}
	return f, nil
}

// hold retains the frame that is in another store now, once.
func (s *store) hold(part *store) error {
	if n := len(s.held); n > 0 && s.held[n-1].store == part {
		return nil // objects of one frame mostly stand together
	}
	f := Frame{part, part.state.Load() >> refBits}
	if err := f.Retain(); err != nil {
		return fmt.Errorf("join: %w", err)
	}
	s.held = append(s.held, f)
	return nil
}

// part gives up what a joined frame holds.
func (s *store) part() {
	for _, f := range s.held {
		_ = f.Release() // it was retained by hold
	}
	clear(s.held)
	clear(s.joined)
	s.held, s.joined = s.held[:0], s.joined[:0]
}

// Clocks are the times of the sample that the object was taken with, and the
// object's own.
func (o Object) Clocks() counter.Clocks { return o.clocks() }
