package provider

import (
	"encoding/binary"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// Sizes in bytes of the structures of winperf.h, and of what is added to them.
const (
	dataBlockSize   = 88
	objectTypeSize  = 64
	missingMarkSize = 8 // missingMark and the offset of the bit map
	definitionSize  = 40
	instanceSize    = 24
)

// Special values of PERF_OBJECT_TYPE.NumInstances and
// PERF_INSTANCE_DEFINITION.UniqueID (winperf.h).
const (
	noInstances      = -1 // PERF_NO_INSTANCES
	metadataMultiple = -2 // PERF_METADATA_MULTIPLE_INSTANCES
	metadataSingle   = -3 // PERF_METADATA_NO_INSTANCES
	noUniqueID       = -1 // PERF_NO_UNIQUE_ID
)

// missingMark announces the bit map of missing values.
const missingMark = "LXNA"

// appendHeader appends a PERF_DATA_BLOCK whose length and number of objects
// are still 0.
func appendHeader(dst []byte, machine string, c counter.Clocks) []byte {
	le := binary.LittleEndian
	start := len(dst)
	dst = append(dst, make([]byte, dataBlockSize)...)
	dst = wire.AppendUTF16Z(dst, machine)
	nameLen := len(dst) - start - dataBlockSize
	dst = pad8(dst, start)
	p := dst[start:]
	copy(p, "P\x00E\x00R\x00F\x00")
	le.PutUint32(p[8:], 1)  // LittleEndian
	le.PutUint32(p[12:], 1) // PERF_DATA_VERSION
	le.PutUint32(p[16:], 1) // PERF_DATA_REVISION
	le.PutUint32(p[24:], uint32(len(p)))
	le.PutUint32(p[32:], ^uint32(0)) // no default object
	putSystemTime(p[36:52], winperf.FromFiletime(c.Time100ns))
	le.PutUint64(p[56:], uint64(c.PerfTime))
	le.PutUint64(p[64:], uint64(c.PerfFreq))
	le.PutUint64(p[72:], uint64(c.Time100ns))
	le.PutUint32(p[80:], uint32(nameLen))
	le.PutUint32(p[84:], dataBlockSize)
	return dst
}

// finishHeader fills in the length of the block p and its number of objects.
func finishHeader(p []byte, objects int) {
	binary.LittleEndian.PutUint32(p[20:], uint32(len(p)))
	binary.LittleEndian.PutUint32(p[28:], uint32(objects))
}

// putSystemTime writes a SYSTEMTIME: eight 16-bit fields.
func putSystemTime(p []byte, t time.Time) {
	ms := t.Nanosecond() / int(time.Millisecond)
	for i, v := range [8]int{t.Year(), int(t.Month()), int(t.Weekday()), t.Day(), t.Hour(), t.Minute(), t.Second(), ms} {
		binary.LittleEndian.PutUint16(p[2*i:], uint16(v))
	}
}

// pad8 appends zeros until what begins at start has a multiple of 8 bytes.
func pad8(dst []byte, start int) []byte {
	for (len(dst)-start)%8 != 0 {
		dst = append(dst, 0)
	}
	return dst
}

func align8(n int) int { return (n + 7) &^ 7 }
