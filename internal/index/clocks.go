package index

import (
	"encoding/binary"

	"github.com/winperf/winperf/counter"
)

// ObjectClocks returns the clocks of an object: the object's own, and the clocks of the block's
// head unless the object was sampled at another time.
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
