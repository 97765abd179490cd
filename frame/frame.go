package frame

import (
	"fmt"
	"iter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// Frame is one sample. It is a small handle: pass it by value. The zero Frame
// is empty and stands for "no sample".
//
// A frame is valid until its Pool has decoded two more, and as long as the samples are that its
// blocks were filled in; for good once [Frame.Keep] was called.
type Frame struct {
	*sheet
	number uint64 // of this frame among the frames of its pool
}

// IsZero reports whether the Frame is the zero Frame.
func (f Frame) IsZero() bool { return f.sheet == nil }

// Schema has the names of the sample's objects and counters; nil where there are
// none.
func (f Frame) Schema() *winperf.Schema { return f.schema }

// Blocks returns the sample as the system gave it: the blocks of its parts that have one.
func (f Frame) Blocks() iter.Seq[*winperf.Block] {
	return func(yield func(*winperf.Block) bool) {
		if f.IsZero() {
			return
		}
		for i := range f.parts {
			if !yield(f.parts[i].block) {
				return
			}
		}
	}
}

// Keep takes the frame and all blocks it refers to out of reuse for good: it can be read for as
// long as needed, and the garbage collector frees it. The error wraps winperf.ErrState where a
// later sample uses the frame's memory already. Keep may be called from any goroutine while the
// frame is valid.
func (f Frame) Keep() error {
	if err := f.check("keep"); err != nil || f.IsZero() {
		return err
	}
	f.kept.Store(true)
	for i := range f.parts {
		f.parts[i].block.Keep()
	}
	for _, o := range f.formers {
		if o.s != nil {
			o.s.block.Keep()
		}
	}
	return nil
}

// check returns an error that wraps winperf.ErrState where the memory of the frame, or of one of its
// blocks, is another one's already.
func (f Frame) check(op string) error {
	if f.IsZero() {
		return nil
	}
	valid := f.sheet.number.Load() == f.number
	for i := 0; valid && i < len(f.parts); i++ {
		valid = f.parts[i].block.Number() == f.parts[i].number
	}
	if valid {
		return nil
	}
	return fmt.Errorf("%s: a later sample uses the memory of the frame: %w", op, winperf.ErrState)
}

// Damage is what was found wrong with parts of the sample. It is empty for
// nearly every sample and bounded for the others.
func (f Frame) Damage() []error { return f.damage }

// spokesman is the index of the part that speaks for the sample, nil where there is
// none.
func (f Frame) spokesman() *index.Index {
	if f.IsZero() || len(f.parts) == 0 {
		return nil
	}
	return &f.parts[f.head].index
}

// Clocks are the times of the sample, those of objects left out: of its first part
// that can be read. Objects tell their own (see [Object.Clocks]).
func (f Frame) Clocks() counter.Clocks {
	if ix := f.spokesman(); ix != nil {
		return ix.Clocks
	}
	return counter.Clocks{}
}

// Time is when the sample was taken, in UTC.
func (f Frame) Time() time.Time {
	if f.spokesman() != nil && f.parts[f.head].values.there {
		return f.parts[f.head].values.time
	}
	return winperf.FromFiletime(f.Clocks().Time100ns)
}

// Machine is the name of the machine as the sample gives it. Those of a log of several
// machines are of the first one (see [Object.Machine]).
func (f Frame) Machine() string {
	if f.spokesman() == nil {
		return ""
	}
	return f.parts[f.head].name
}

// Quirks are those of the part whose clocks are the frame's.
func (f Frame) Quirks() winperf.Quirks {
	if f.spokesman() == nil {
		return 0
	}
	return f.parts[f.head].block.Quirks
}

// NumObjects is the number of objects.
func (f Frame) NumObjects() int {
	if f.IsZero() {
		return 0
	}
	return len(f.objects)
}

// Complete reports whether every part that is collected beside the others has a block
// by now.
func (f Frame) Complete() bool { return !f.missing }

// Object returns the object at position i, 0 ≤ i < NumObjects.
func (f Frame) Object(i int) Object { return f.objects[i] }

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
