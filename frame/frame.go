package frame

import (
	"fmt"
	"iter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// Frame is one decoded sample. It is a small handle: pass it by value. The zero Frame is empty and
// represents "no sample". The package comment describes how long a Frame is valid.
type Frame struct {
	*sheet
	number uint64 // number of the frame in its pool
}

// IsZero reports whether f is the zero Frame.
func (f Frame) IsZero() bool { return f.sheet == nil }

// Schema returns the names of the sample's objects and counters, or nil.
func (f Frame) Schema() *winperf.Schema { return f.schema }

// Blocks returns the blocks of the sample's parts, as the system filled them.
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

// Keep makes the frame and all its blocks permanent: their memory is not reused, and the garbage
// collector frees it. The error wraps winperf.ErrState if a later sample already uses the frame's
// memory. Keep may be called from any goroutine while the frame is valid.
func (f Frame) Keep() error {
	if err := f.check("keep"); err != nil || f.IsZero() {
		return err
	}
	f.kept.Store(true)
	for i := range f.parts {
		f.parts[i].block.Keep()
	}
	for _, o := range f.previousObjects {
		if o.s != nil {
			o.s.block.Keep()
		}
	}
	return nil
}

// check returns an error that wraps winperf.ErrState if the memory of the frame or of a block was
// reused.
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
	const form = "%s: the frame is no longer valid, a later sample uses its memory: %w"
	return fmt.Errorf(form, op, winperf.ErrState)
}

// Damage returns the errors found in parts of the sample. Their number is limited.
func (f Frame) Damage() []error { return f.damage }

// mainIndex returns the index of the part that provides the frame's clocks and machine, or nil.
func (f Frame) mainIndex() *index.Index {
	if f.IsZero() || len(f.parts) == 0 {
		return nil
	}
	return &f.parts[f.head].index
}

// Clocks returns the times of the sample's first readable part. Objects have their own (see
// [Object.Clocks]).
func (f Frame) Clocks() counter.Clocks {
	if ix := f.mainIndex(); ix != nil {
		return ix.Clocks
	}
	return counter.Clocks{}
}

// Time returns the time of the sample, in UTC.
func (f Frame) Time() time.Time {
	if f.mainIndex() != nil && f.parts[f.head].values.there {
		return f.parts[f.head].values.time
	}
	return winperf.FromFiletime(f.Clocks().Time100ns)
}

// Machine returns the name of the machine in the sample; for several machines the first one (see
// [Object.Machine]).
func (f Frame) Machine() string {
	if f.mainIndex() == nil {
		return ""
	}
	return f.parts[f.head].name
}

// Quirks returns the quirks of the part whose times Clocks returns.
func (f Frame) Quirks() winperf.Quirks {
	if f.mainIndex() == nil {
		return 0
	}
	return f.parts[f.head].block.Quirks
}

// NumObjects returns the number of objects.
func (f Frame) NumObjects() int {
	if f.IsZero() {
		return 0
	}
	return len(f.objects)
}

// Complete reports whether every independent part ([winperf.Part].Independent) has a block.
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
