package datablock

import (
	"encoding/binary"
	"math"
	"time"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// Views of encoded structures, for callers that move whole ones and need no values:
// they look at what they are asked for and check nothing else.

// HeadBytes is a PERF_DATA_BLOCK as it is encoded, with all that follows it.
type HeadBytes []byte

// HeadOf returns the head at the start of b; ok is false where b has no head.
func HeadOf(b []byte) (head HeadBytes, ok bool) {
	if len(b) < HeadLen || binary.LittleEndian.Uint64(b[AtSignature:]) != Signature {
		return nil, false
	}
	return HeadBytes(b), true
}

// Total is TotalByteLength, which counts the head too, except with the quirk
// [winperf.TotalExcludesHeader].
func (h HeadBytes) Total() uint32 { return u32(h, AtTotal) }

// Clocks are the times of the sample.
func (h HeadBytes) Clocks() counter.Clocks {
	return counter.Clocks{
		PerfTime:  i64(h, AtPerfTime),
		PerfFreq:  i64(h, AtPerfFreq),
		Time100ns: i64(h, AtPerfTime100ns),
	}
}

// SystemTime is the system time of the sample. A block does not tell its zone:
// the result says UTC.
func (h HeadBytes) SystemTime() time.Time {
	f := SystemTimeAt(h[AtSystemTime:])
	nanoseconds := int(f[7]) * int(time.Millisecond)
	return time.Date(int(f[0]), time.Month(f[1]), int(f[3]), int(f[4]), int(f[5]), int(f[6]),
		nanoseconds, time.UTC)
}

// Machine is the name of the machine, "" where it is not in the bytes.
func (h HeadBytes) Machine() string {
	at, n := uint64(u32(h, AtNameOffset)), uint64(u32(h, AtNameLength))
	if at < HeadLen || at+n > uint64(len(h)) {
		return ""
	}
	return wire.Text(h[at:at+n], wire.UTF16LE)
}

// Objects returns the part of a block that holds its objects, and how many the
// block says there are: [CutObject] takes them off one by one. The error is a
// [*winperf.DataError]. Where it wraps [ErrTruncated] and objects is not nil, the end of the
// block is missing.
func Objects(b []byte, quirks winperf.Quirks) (objects []byte, count uint32, err error) {
	if len(b) < HeadLen {
		return nil, 0, checkBuffer.Fault(0, int64(len(b)), HeadLen)
	}
	first, end, bad := extent(b, quirks)
	if bad != nil {
		return nil, 0, bad
	}

	there := min(uint64(len(b)), math.MaxUint32)
	if end > there {
		err = checkTruncated.Fault(AtTotal, int64(end), int64(there))
	}
	return b[min(uint64(first), there):min(end, there)], u32(b, AtNumObjects), err
}

// extent is where the first object of a block begins and where the block ends, by
// its head, which is whole. The end may be behind that of b.
func extent(b []byte, quirks winperf.Quirks) (first uint32, end uint64, err *winperf.DataError) {
	first = u32(b, AtHeaderLength)
	end = uint64(u32(b, AtTotal))
	if quirks&winperf.TotalExcludesHeader != 0 {
		end += uint64(first)
	}
	if end < HeadLen {
		return 0, 0, checkTotal.Fault(AtTotal, int64(end), HeadLen)
	}
	if first < HeadLen || uint64(first) > end {
		return 0, 0, checkHeader.Fault(AtHeaderLength, int64(first), int64(end))
	}
	return first, end, nil
}

// ObjectBytes is a PERF_OBJECT_TYPE with all that belongs to it as it is encoded.
type ObjectBytes []byte

// CutObject cuts off the object at the start of b by its length. The error is a
// [*winperf.DataError] whose offset counts from there.
func CutObject(b []byte) (object ObjectBytes, rest []byte, err error) {
	length, bad := ObjectLength(b[:min(uint64(len(b)), math.MaxUint32)], 0)
	if bad != nil {
		return nil, b, bad
	}
	return ObjectBytes(b[:length:length]), b[length:], nil
}

// ObjectLength is the length of the object that stands at off and may go on to the
// end of b.
func ObjectLength(b []byte, off uint32) (uint32, *winperf.DataError) {
	left := uint32(len(b)) - off
	if left < ObjectLen {
		return 0, checkObjectRoom.Fault(off, int64(left), ObjectLen)
	}
	length := u32(b, int(off)+AtObjTotal)
	if length < ObjectLen || length > left {
		err := checkObjectLength.Fault(off+AtObjTotal, int64(length), int64(left))
		err.Object.Index = u32(b, int(off)+AtObjTitle)
		return 0, err
	}
	return length, nil
}

// Title is the title index of the object.
func (o ObjectBytes) Title() uint32 { return u32(o, AtObjTitle) }

// NumInstances is what the object says of its instances: how many there are or,
// below 0, a perfdata.Form.
func (o ObjectBytes) NumInstances() int32 { return i32(o, AtObjNumInstances) }

// Split splits the object where its definitions end and its instances begin.
func (o ObjectBytes) Split() (definitions, instances []byte) {
	n := min(int64(u32(o, AtObjDefinition)), int64(len(o)))
	return o[:n:n], o[n:]
}

// NumDefinitions is how many counter definitions there are in the n bytes of an
// object's definitions if its header is plain.
func NumDefinitions(n int) int { return max(0, n-ObjectLen) / CounterLen }

// CounterDefinitions returns the bytes of all counter definitions of an object
// that [Decode] has found, as far as winperf.h knows their fields. It is empty for
// an object without counters, and aliases ix.Data.
func CounterDefinitions(ix *index.Index, o *index.Object) []byte {
	if o.Counter0 == o.CounterEnd {
		return nil
	}
	return ix.Data[ix.Counters[o.Counter0].Off : ix.Counters[o.CounterEnd-1].Off+CounterLen]
}

// InstanceBytes is a PERF_INSTANCE_DEFINITION with its name as it is encoded.
type InstanceBytes []byte

// CutInstance cuts off the instance definition at the start of b; what is left
// begins with the counter block. The error is a [*winperf.DataError] whose offset counts from
// there.
func CutInstance(b []byte) (in InstanceBytes, rest []byte, err error) {
	if len(b) < InstanceLen {
		return nil, b, checkInstanceRoom.Fault(0, int64(len(b)), InstanceLen)
	}
	length := u32(b, AtInstLength)
	if length < InstanceLen || int64(length) > int64(len(b)) {
		return nil, b, checkInstanceLength.Fault(AtInstLength, int64(length), int64(len(b)))
	}
	return InstanceBytes(b[:length:length]), b[length:], nil
}

// Parent is where the instance has its parent: the title index of the object, 0
// for none, and the position in it.
func (in InstanceBytes) Parent() (object, position uint32) {
	return u32(in, AtInstParentObject), u32(in, AtInstParentInstance)
}

// UniqueID is the instance's number, -1 for none.
func (in InstanceBytes) UniqueID() int32 { return i32(in, AtInstUniqueID) }

// Name returns the bytes of the instance's name, with its terminator. The error is
// a [*winperf.DataError] whose offset counts from the start of the definition.
func (in InstanceBytes) Name() ([]byte, error) {
	at, n := u32(in, AtInstNameOffset), u32(in, AtInstNameLength)
	if at < InstanceLen || uint64(at)+uint64(n) > uint64(len(in)) {
		return nil, checkName.Fault(AtInstNameOffset, int64(at)+int64(n), int64(len(in)))
	}
	return in[at:][:n], nil
}

// CutCounterBlock cuts off the PERF_COUNTER_BLOCK at the start of b, with its
// length. The error is a [*winperf.DataError] whose offset counts from there.
func CutCounterBlock(b []byte) (block, rest []byte, err error) {
	if len(b) < blockSize {
		return nil, b, checkBlockRoom.Fault(0, int64(len(b)), blockSize)
	}
	length := u32(b, 0)
	if length < blockSize || int64(length) > int64(len(b)) {
		return nil, b, checkBlockLength.Fault(0, int64(length), int64(len(b)))
	}
	return b[:length:length], b[length:], nil
}
