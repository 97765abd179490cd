package provider

import (
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
)

// Image is an object in the format of winperf.h, for shared memory in which values change in place: it
// cannot mark missing values. It is immutable.
type Image struct {
	// Head holds PERF_OBJECT_TYPE and the PERF_COUNTER_DEFINITION structures. TotalByteLength and
	// NumInstances are set for zero instances, if the object is Multi, else for its single instance;
	// DefaultCounter is -1.
	Head []byte
	// Block is the size of a PERF_COUNTER_BLOCK in bytes, including its length field: a multiple of 8.
	Block int

	slots []slot
}

// NewImage fixes an object's offsets like [NewLayout]. The error wraps ErrSchema.
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

	p, _ := encoded.AppendTo(nil) // at most one instance, which is never too long
	m.Head, _ = datablock.ObjectBytes(p).Split()
	return m, nil
}

// Value returns the offset in a counter block of the raw value of the declared counter i, and its size: 4
// or 8 bytes.
func (m *Image) Value(i int) (offset, size int) { return m.slots[i].value.at() }

// Base is Value for the counter's base; the size is 0 if it has none.
func (m *Image) Base(i int) (offset, size int) { return m.slots[i].base.at() }

func (p *place) at() (offset, size int) {
	if p == nil {
		return 0, 0
	}
	return int(p.off), int(p.width)
}
