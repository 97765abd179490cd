package frame

import (
	"github.com/winperf/winperf"
)

// Pool decodes samples into frames. It reuses the memory of a frame after two more frames, except for
// kept ones. The zero Pool is ready for use. It serves one goroutine.
type Pool struct {
	valid [2]*sheet // the last two frames; nil before
	spare *sheet
	last  uint64
}

// Decode checks and indexes the bytes of a sample's parts, unless that was done already, and returns
// them as one frame. It shares the strings of before, an earlier frame of the same query or the zero
// Frame.
//
// The error reports that nothing of the sample is readable; the previous frames then stay valid. If
// only a part or an object is missing or damaged, its error is in Frame.Damage, and the objects before
// the damage are readable. If before is no longer valid, the error wraps winperf.ErrState.
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
	s.reset() // after an attempt that panicked

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
	return p.publish(s), nil
}

// publish makes a decoded sheet the last frame, and invalidates the frame two before it.
func (p *Pool) publish(s *sheet) Frame {
	for i, old := range p.valid {
		if old != nil && old.kept.Load() {
			p.valid[i] = nil // the garbage collector may free it
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

// InUse reports whether one of the pool's valid frames refers to b. Call it in the goroutine that
// decodes.
func (p *Pool) InUse(b *winperf.Block) bool {
	for _, s := range p.valid {
		if s != nil && s.refers(b.Number()) {
			return true
		}
	}
	return false
}
