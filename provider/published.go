package provider

import (
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
)

// Image is an object as winperf.h has it, for memory that others read while
// values change in place: nothing tells that a value is missing. It is
// immutable.
type Image struct {
	// Head holds PERF_OBJECT_TYPE and the PERF_COUNTER_DEFINITION structures.
	// TotalByteLength and NumInstances are those of no instance, or of the one
	// that an object without instances has; DefaultCounter is -1.
	Head []byte
	// Block is the number of bytes of a PERF_COUNTER_BLOCK, its own length at
	// the beginning included: a multiple of 8.
	Block int

	slots []slot
}

// NewImage fixes an object's offsets as [NewLayout] does. The error wraps
// ErrSchema.
func NewImage(o *Object) (*Image, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	b := newLayoutBuilder(o)
	for i := range o.Counters {
		b.add(i)
	}
	m := &Image{Block: align8(int(b.next)), slots: b.slots}

	encoded := b.encoded()
	encoded.DefaultCounter = -1
	if !o.Multi {
		encoded.Form = perfdata.Single
		encoded.Instances = []perfdata.Instance{{Data: make([]byte, m.Block-datablock.FirstValue)}}
	}

	p, _ := encoded.AppendTo(nil) // with one instance at most, which is never too long
	m.Head, _ = datablock.ObjectBytes(p).Split()
	return m, nil
}

// Value tells where in a counter block the raw value of the declared counter i
// is, and its size: 4 or 8 bytes.
func (m *Image) Value(i int) (offset, size int) { return m.slots[i].value.at() }

// Base is Value for the counter's base; the size is 0 where it has none.
func (m *Image) Base(i int) (offset, size int) { return m.slots[i].base.at() }

func (p *place) at() (offset, size int) {
	if p == nil {
		return 0, 0
	}
	return int(p.off), int(p.width)
}
