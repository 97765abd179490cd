package frame

import (
	"github.com/winperf/winperf"
)

// Pool makes frames of samples. It uses the memory of a frame again when it has decoded two more,
// unless that was kept. The zero Pool is ready for use. It serves one goroutine.
type Pool struct {
	valid [2]*sheet // the last frame and the one before; nil where there was none
	spare *sheet    // which no frame uses; nil: one is to be made
	last  uint64    // number of the last frame
}

// Decode checks and indexes the bytes of a sample's parts, unless that was done already, and
// returns them as one frame. Strings of before, if it is a frame of the same query that was
// decoded earlier, are shared where their bytes are unchanged.
//
// The error says that nothing of the sample can be read; the frames before then stay valid. What
// cost less is in Damage: a part that is missing or damaged as a whole (objects before the damage
// can be read all the same), or some of its objects. The error wraps winperf.ErrState where before
// is not valid any more.
func (p *Pool) Decode(sample *winperf.Sample, before Frame) (Frame, error) {
	if err := before.check("decode"); err != nil {
		return Frame{}, err
	}

	s := p.spare
	if s == nil {
		s = &sheet{}
		s.decodeBlock = s.decode
		p.spare = s
	}
	s.reset() // of an attempt that panicked

	s.schema, s.before = sample.Schema, before.sheet
	for i := range sample.Parts {
		s.add(&sample.Parts[i])
	}
	s.before = nil
	if s.failed != nil && !s.readable() {
		err := s.failed
		s.reset()
		return Frame{}, err
	}
	return p.give(s), nil
}

// give makes a decoded sheet the last frame, and ends the frame two before it.
func (p *Pool) give(s *sheet) Frame {
	for i, old := range p.valid {
		if old != nil && old.kept.Load() {
			p.valid[i] = nil // the collector may have it when nothing else refers to it
		}
	}
	ended := p.valid[1]
	p.valid[0], p.valid[1], p.spare = s, p.valid[0], nil
	if ended != nil {
		ended.number.Store(0)
		ended.reset()
		p.spare = ended
	}

	p.last++
	s.number.Store(p.last)
	return Frame{sheet: s, number: p.last}
}

// InUse reports whether one of the pool's valid frames refers to a block. It belongs to the
// goroutine that decodes.
func (p *Pool) InUse(b *winperf.Block) bool {
	for _, s := range p.valid {
		if s != nil && s.refers(b.Number()) {
			return true
		}
	}
	return false
}
