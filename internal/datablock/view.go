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

// Views of encoded structures, for callers that need no values. They check only the parts
// they read.

// HeadBytes is an encoded PERF_DATA_BLOCK and the following bytes.
type HeadBytes []byte

// HeadOf returns the head at the start of b; ok is false if b has none.
func HeadOf(b []byte) (head HeadBytes, ok bool) {
	if len(b) < HeadLen || binary.LittleEndian.Uint64(b[AtSignature:]) != Signature {
		return nil, false
	}
	return HeadBytes(b), true
}

// Total returns TotalByteLength, which includes the head, except with the quirk
// [winperf.TotalExcludesHeader].
func (h HeadBytes) Total() uint32 { return u32(h, AtTotal) }

// Clocks returns the clocks of the sample.
func (h HeadBytes) Clocks() counter.Clocks {
	return counter.Clocks{
		PerfTime:  i64(h, AtPerfTime),
		PerfFreq:  i64(h, AtPerfFreq),
		Time100ns: i64(h, AtPerfTime100ns),
	}
}

// SystemTime returns the system time of the sample. The block does not contain its zone:
// the result is UTC.
func (h HeadBytes) SystemTime() time.Time {
	f := SystemTimeAt(h[AtSystemTime:])
	nanoseconds := int(f[7]) * int(time.Millisecond)
	return time.Date(int(f[0]), time.Month(f[1]), int(f[3]), int(f[4]), int(f[5]), int(f[6]),
		nanoseconds, time.UTC)
}

// Machine returns the name of the machine, "" if it is outside the bytes.
func (h HeadBytes) Machine() string {
	at, n := uint64(u32(h, AtNameOffset)), uint64(u32(h, AtNameLength))
	if at < HeadLen || at+n > uint64(len(h)) {
		return ""
	}
	return wire.Text(h[at:at+n], wire.UTF16LE)
}

// Objects returns the bytes of a block's objects and their number in the header; see
// [CutObject]. The error is a [*winperf.DataError]. If it wraps [ErrTruncated] and objects
// is not nil, the end of the block is missing.
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

// extent returns the begin of the first object and the end of the block, by its head. The
// end may be behind b.
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

// ObjectBytes is an encoded PERF_OBJECT_TYPE with its definitions and instances.
type ObjectBytes []byte

// CutObject cuts off the object at the start of b. The error is a [*winperf.DataError] with
// an offset from there.
func CutObject(b []byte) (object ObjectBytes, rest []byte, err error) {
	length, bad := ObjectLength(b[:min(uint64(len(b)), math.MaxUint32)], 0)
	if bad != nil {
		return nil, b, bad
	}
	return ObjectBytes(b[:length:length]), b[length:], nil
}

// ObjectLength returns the length of the object at off, at most to the end of b.
func ObjectLength(b []byte, off uint32) (uint32, *winperf.DataError) {
	left := uint32(len(b)) - off
	if left < ObjectLen {
		return 0, checkObjectSpace.Fault(off, int64(left), ObjectLen)
	}
	length := u32(b, int(off)+AtObjTotal)
	if length < ObjectLen || length > left {
		err := checkObjectLength.Fault(off+AtObjTotal, int64(length), int64(left))
		err.Object.Index = u32(b, int(off)+AtObjTitle)
		return 0, err
	}
	return length, nil
}

// Title returns the title index of the object.
func (o ObjectBytes) Title() uint32 { return u32(o, AtObjTitle) }

// NumInstances returns the number of instances or, below 0, a perfdata.Form.
func (o ObjectBytes) NumInstances() int32 { return i32(o, AtObjNumInstances) }

// Split splits the object behind its definitions.
func (o ObjectBytes) Split() (definitions, instances []byte) {
	n := min(int64(u32(o, AtObjDefinition)), int64(len(o)))
	return o[:n:n], o[n:]
}

// NumDefinitions returns the number of counter definitions in the n bytes of an object's
// header and definitions, if its header is plain.
func NumDefinitions(n int) int { return max(0, n-ObjectLen) / CounterLen }

// CounterDefinitions returns the bytes of all counter definitions of an object decoded by
// [Decode]. It is empty for an object without counters, and aliases ix.Data.
func CounterDefinitions(ix *index.Index, o *index.Object) []byte {
	if o.Counter0 == o.CounterEnd {
		return nil
	}
	return ix.Data[ix.Counters[o.Counter0].Off : ix.Counters[o.CounterEnd-1].Off+CounterLen]
}

// InstanceBytes is an encoded PERF_INSTANCE_DEFINITION with its name.
type InstanceBytes []byte

// CutInstance cuts off the instance definition at the start of b; rest begins with the
// counter block. The error is a [*winperf.DataError] with an offset from there.
func CutInstance(b []byte) (in InstanceBytes, rest []byte, err error) {
	if len(b) < InstanceLen {
		return nil, b, checkInstanceSpace.Fault(0, int64(len(b)), InstanceLen)
	}
	length := u32(b, AtInstLength)
	if length < InstanceLen || int64(length) > int64(len(b)) {
		return nil, b, checkInstanceLength.Fault(AtInstLength, int64(length), int64(len(b)))
	}
	return InstanceBytes(b[:length:length]), b[length:], nil
}

// Parent returns the parent of the instance: the title index of its object, 0 for none, and
// the position in it.
func (in InstanceBytes) Parent() (object, position uint32) {
	return u32(in, AtInstParentObject), u32(in, AtInstParentInstance)
}

// UniqueID returns the instance's number, -1 for none.
func (in InstanceBytes) UniqueID() int32 { return i32(in, AtInstUniqueID) }

// Name returns the bytes of the instance's name, with its terminator. The error is a
// [*winperf.DataError] with an offset in the definition.
func (in InstanceBytes) Name() ([]byte, error) {
	at, n := u32(in, AtInstNameOffset), u32(in, AtInstNameLength)
	if at < InstanceLen || uint64(at)+uint64(n) > uint64(len(in)) {
		return nil, checkName.Fault(AtInstNameOffset, int64(at)+int64(n), int64(len(in)))
	}
	return in[at:][:n], nil
}

// CutCounterBlock cuts off the PERF_COUNTER_BLOCK at the start of b, including its length.
// The error is a [*winperf.DataError] with an offset from there.
func CutCounterBlock(b []byte) (block, rest []byte, err error) {
	if len(b) < blockSize {
		return nil, b, checkBlockSpace.Fault(0, int64(len(b)), blockSize)
	}
	length := u32(b, 0)
	if length < blockSize || int64(length) > int64(len(b)) {
		return nil, b, checkBlockLength.Fault(0, int64(length), int64(len(b)))
	}
	return b[:length:length], b[length:], nil
}
