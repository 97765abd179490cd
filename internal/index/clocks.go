package index

import (
	"encoding/binary"

	"github.com/winperf/winperf/counter"
)

// ObjectClocks are the times of the sample that an object was taken with and the
// object's own: those of the head of the block, unless the object was taken at
// another time.
func (ix *Index) ObjectClocks(o *Object) counter.Clocks {
	c := ix.Clocks
	if o.Clocks != 0 {
		b := ix.Data[o.Clocks:]
		c.PerfTime = int64(binary.LittleEndian.Uint64(b))
		c.PerfFreq = int64(binary.LittleEndian.Uint64(b[8:]))
		c.Time100ns = int64(binary.LittleEndian.Uint64(b[16:]))
	}
	c.ObjectTime, c.ObjectFreq = o.Time, o.Freq
	return c
}
