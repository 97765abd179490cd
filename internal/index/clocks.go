package index

import (
	"encoding/binary"

	"github.com/winperf/winperf/counter"
)

// ObjectClocks returns the clocks of the object and of its sample. An object may have been sampled
// at another time than the rest of the block; then its own times replace the block's.
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
