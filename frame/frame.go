package frame

import (
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
)

// Pool hands out frames and takes their memory back. The zero Pool is ready
// for use and may be used from several goroutines.
type Pool struct {
	mu   sync.Mutex
	free []*store
	last uint64 // number of the frame that was handed out last
}

// maxFree bounds the memory that a pool keeps for later frames. A reader of
// one source needs two frames.
const maxFree = 8

// Get returns an empty frame that is held once. Take a sample into [Frame.Raw],
// then call Decode.
func (p *Pool) Get() Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s *store
	if n := len(p.free); n > 0 {
		s = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		s = &store{pool: p}
		s.knownObject, s.labelObject = s.known, s.label
	}
	p.last++
	s.state.Store(p.last<<refBits | 1)
	return Frame{store: s, number: p.last}
}

func (p *Pool) put(s *store) {
	s.reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFree {
		p.free = append(p.free, s)
	}
}

// Frame is one sample. It is a small handle: pass it by value. The zero Frame
// is empty and stands for "no sample".
type Frame struct {
	*store
	number uint64 // of this frame among those of its pool
}

// store is the memory of a frame.
type store struct {
	pool   *Pool
	state  atomic.Uint64 // the frame's number and how many hold it; 0 when it is free
	raw    winperf.Raw
	index  index.Index
	labels []*Labels // per object
	joined []Object  // of a joined frame: its objects, which stand in other frames
	held   []Frame   // of a joined frame: those frames
	shared shared    // columns cooked of the frame

	// While the frame is decoded: the one before and its labels of the object at hand.
	before *store
	former *Labels

	// s.known and s.label, made once because making them allocates.
	knownObject func(int, uint32, uint32) []byte
	labelObject func(int, bool)
	// s.knownSet, made when a counter set is decoded first.
	knownSetObject func(int, uint32) ([]byte, []index.Span, bool)
}

const (
	refBits = 16
	refMask = 1<<refBits - 1
)

func (s *store) reset() {
	s.part()
	s.shared.end()
	s.raw.Format, s.raw.Quirks, s.raw.Schema = 0, 0, nil
	s.index.Reset()
	clear(s.labels)
	s.labels = s.labels[:0]
}

// IsZero tells whether the Frame is the zero Frame.
func (f Frame) IsZero() bool { return f.store == nil }

// Raw is the sample as the system gave it. It may be changed only before
// Decode.
func (f Frame) Raw() *winperf.Raw { return &f.raw }

// Retain adds a holder: the memory goes back to the pool only when every
// holder has called Release.
func (f Frame) Retain() error {
	for !f.IsZero() {
		w := f.state.Load()
		if w>>refBits != f.number {
			return fmt.Errorf("retain: %w", winperf.ErrReleased)
		}
		if w&refMask == refMask {
			return fmt.Errorf("retain: %d holders already", refMask)
		}
		if f.state.CompareAndSwap(w, w+1) {
			break
		}
	}
	return nil
}

// Release gives up one hold. The frame must not be read after; forgetting to
// release is harmless, as the garbage collector takes what no one holds.
// Releasing more often than the frame is held is an error that wraps
// winperf.ErrReleased, also when the memory serves another frame meanwhile.
func (f Frame) Release() error {
	for !f.IsZero() {
		w := f.state.Load()
		if w>>refBits != f.number {
			return winperf.ErrReleased
		}
		next := w - 1
		last := next&refMask == 0
		if last {
			next = 0
		}
		if f.state.CompareAndSwap(w, next) {
			if last {
				f.pool.put(f.store)
			}
			break
		}
	}
	return nil
}

// Decode checks and indexes the bytes of Raw. Strings of before, if it is a
// frame of the same query that was decoded earlier, are shared where their
// bytes are unchanged. An error says that the sample as a whole is damaged;
// objects before the damage can be read all the same. What cost less than the
// sample is in Damage.
func (f Frame) Decode(before Frame) error {
	s := f.store
	if len(s.joined) > 0 {
		return fmt.Errorf("decode of a joined frame: %w", winperf.ErrState)
	}
	if before.store != s {
		s.before = before.store
	}
	defer func() { s.before, s.former = nil, nil }()
	s.labels = s.labels[:0]
	var err error
	switch s.raw.Format {
	case winperf.FormatV1:
		err = perfdata.Decode(s.raw.Bytes, &s.index, perfdata.Options{Quirks: s.raw.Quirks, Known: s.knownObject, Object: s.labelObject})
	case winperf.FormatV2:
		err = s.decodeSets()
	default:
		return fmt.Errorf("decode: format %d: %w", s.raw.Format, winperf.ErrNotSupported)
	}
	s.labelParents()
	return err
}

// Damage is what was found wrong with parts of the sample. It is empty for
// nearly every sample and bounded for the others.
func (f Frame) Damage() []error { return f.index.Damage }

// Clocks are the times of the sample, those of objects left out.
func (f Frame) Clocks() counter.Clocks { return f.index.Clocks }

// Time is when the sample was taken, in UTC.
func (f Frame) Time() time.Time { return winperf.FromFiletime(f.index.Clocks.Time100ns) }

// Machine is the name of the machine as the sample gives it.
func (f Frame) Machine() string { return f.index.MachineName() }

// NumObjects is the number of objects.
func (f Frame) NumObjects() int {
	if f.IsZero() {
		return 0
	}
	return len(f.index.Objects)
}

// Object returns the object at position i, 0 ≤ i < NumObjects.
func (f Frame) Object(i int) Object {
	if i < len(f.joined) {
		return f.joined[i]
	}
	return Object{s: f.store, pos: i, at: i}
}

// Objects returns all objects in the order of the sample.
func (f Frame) Objects() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for i := range f.NumObjects() {
			if !yield(f.Object(i)) {
				return
			}
		}
	}
}

// Find returns the first object with the identity.
func (f Frame) Find(id winperf.ObjectID) (o Object, ok bool) {
	for i := range f.NumObjects() {
		if o := f.Object(i); o.ID().Is(id) {
			return o, true
		}
	}
	return Object{}, false
}
