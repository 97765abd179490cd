package frame

import (
	"errors"
	"sync"

	"github.com/winperf/winperf"
)

// Pool makes frames of samples and takes their memory back. The zero Pool is
// ready for use and may be used from several goroutines.
type Pool struct {
	mu   sync.Mutex
	free []*sheet
	last uint64 // number of the frame that was handed out last
}

// maxFree bounds the memory that a pool keeps for later frames. A reader of
// one source needs two frames.
const maxFree = 8

// get returns an empty frame that is held once.
func (p *Pool) get() Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s *sheet
	if n := len(p.free); n > 0 {
		s = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		s = &sheet{pool: p}
		s.decodeBlock = s.decode
	}

	p.last++
	s.state.Store(p.last<<refBits | 1)
	return Frame{sheet: s, number: p.last}
}

func (p *Pool) put(s *sheet) {
	s.reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFree {
		p.free = append(p.free, s)
	}
}

// Decode checks and indexes the bytes of a sample's parts, as far as that was not done,
// and returns them as one frame, which holds their blocks. Strings of before, if it
// is a frame of the same query that was decoded earlier and is held, are shared where
// their bytes are unchanged.
//
// The error says that nothing of the sample can be read. What cost less is in
// Damage: a part that is missing or damaged as a whole (objects before the damage
// can be read all the same), or some of its objects.
func (p *Pool) Decode(sample *winperf.Sample, before Frame) (Frame, error) {
	f := p.get()
	s := f.sheet
	s.schema, s.before = sample.Schema, before.sheet
	for i := range sample.Parts {
		s.add(&sample.Parts[i])
	}

	s.before = nil
	if s.failed != nil && !s.readable() {
		err := s.failed
		return Frame{}, errors.Join(err, f.Release())
	}
	return f, nil
}
