package datablock

import (
	"encoding/binary"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// Functions that append a block part by part. None allocates once dst is large enough. Call
// [AppendHead]; for each object append the definitions (perfdata.Object.AppendTo), the
// instances and call [ObjectBytes.Finish]; then call [FinishBlock].

// FirstValue is the lowest offset of a value in a counter block, behind the block's length.
const FirstValue = blockSize

// Head is the content of a PERF_DATA_BLOCK.
type Head struct {
	Machine       string         // invalid UTF-8 becomes U+FFFD
	DefaultObject int32          // title index of the object to show first, -1 = none
	SystemTime    time.Time      // local time of its zone; the zone is not stored
	Clocks        counter.Clocks // of the sample, without the clocks of objects
}

// AppendHead appends a PERF_DATA_BLOCK. [FinishBlock] sets the number of its objects.
func AppendHead(dst []byte, h *Head) []byte {
	start, name := len(dst), 2*wire.NumUnits(h.Machine)+2
	f := HeadFields{
		DefaultObject: h.DefaultObject, SystemTime: systemTime(h.SystemTime), Clocks: h.Clocks,
		NameOffset: HeadLen, NameLength: uint32(name),
	}

	dst = f.Append(dst)
	dst = wire.AppendUTF16Z(dst, h.Machine)
	dst = Pad(dst, start)
	binary.LittleEndian.PutUint32(dst[start+AtHeaderLength:], uint32(len(dst)-start))
	return dst
}

// HeadFields are the variable fields of a PERF_DATA_BLOCK.
type HeadFields struct {
	HeaderLength, NumObjects uint32
	DefaultObject            int32
	SystemTime               [8]uint16
	Clocks                   counter.Clocks
	NameOffset, NameLength   uint32
}

// Append appends the PERF_DATA_BLOCK with length 0.
func (f *HeadFields) Append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, Signature)
	for _, v := range [...]uint32{
		1, Version, Revision, 0, f.HeaderLength, f.NumObjects, uint32(f.DefaultObject),
	} {
		dst = le.AppendUint32(dst, v)
	}

	for _, v := range f.SystemTime {
		dst = le.AppendUint16(dst, v)
	}
	dst = le.AppendUint32(dst, 0) // padding
	for _, v := range [...]int64{f.Clocks.PerfTime, f.Clocks.PerfFreq, f.Clocks.Time100ns} {
		dst = le.AppendUint64(dst, uint64(v))
	}

	dst = le.AppendUint32(dst, f.NameLength)
	return le.AppendUint32(dst, f.NameOffset)
}

// FinishBlock writes the length of a block and the number of its objects into its head.
func FinishBlock(block []byte, objects int) {
	binary.LittleEndian.PutUint32(block[AtTotal:], uint32(len(block)))
	binary.LittleEndian.PutUint32(block[AtNumObjects:], uint32(objects))
}

// JoinBlocks joins two adjacent blocks in place: the objects of the block that begins at
// second follow the objects of the first block. Both must be made by AppendHead and FinishBlock.
func JoinBlocks(blocks []byte, second int) []byte {
	other := blocks[second:]
	count := u32(blocks, AtNumObjects) + u32(other, AtNumObjects)
	n := second + copy(other, other[u32(other, AtHeaderLength):])
	FinishBlock(blocks[:n], int(count))
	return blocks[:n]
}

// SetClock sets the object's own clock: ticks, and ticks per second.
func (o ObjectBytes) SetClock(ticks, perSecond int64) {
	binary.LittleEndian.PutUint64(o[AtObjTime:], uint64(ticks))
	binary.LittleEndian.PutUint64(o[AtObjFreq:], uint64(perSecond))
}

// SetSampleClocks replaces the clocks of [AppendClocks] at the end of the object's Extra.
func (o ObjectBytes) SetSampleClocks(c counter.Clocks) {
	end := u32(o, AtObjHeader)
	AppendClocks(o[:end-clocksSize], c)
}

// Finish writes the length of the object and NumInstances into its header: a number or,
// below 0, a perfdata.Form.
func (o ObjectBytes) Finish(instances int32) {
	binary.LittleEndian.PutUint32(o[AtObjTotal:], uint32(len(o)))
	binary.LittleEndian.PutUint32(o[AtObjNumInstances:], uint32(instances))
}

// AccessDenied replaces a value that is marked as missing because the reader had no right
// to it.
const AccessDenied = index.AccessDenied

// MissingBit returns the place of a definition's missing mark in a counter block, if the
// bit map begins at missing: the byte, and the bit in it.
func MissingBit(missing uint32, position int) (offset uint32, bit byte) {
	return missing + uint32(position/8), 1 << (position % 8)
}

// InstanceHead has the fields of a PERF_INSTANCE_DEFINITION except the name. Its zero value
// has the unique id 0.
type InstanceHead struct {
	ParentObject   uint32 // title index, 0 = no parent
	ParentInstance uint32 // position of the parent
	UniqueID       int32  // -1 = none
}

// AppendInstance appends a PERF_INSTANCE_DEFINITION. Its counter block must follow. Invalid
// UTF-8 in the name becomes U+FFFD.
func AppendInstance(dst []byte, in InstanceHead, name string) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, InstanceLen)...)
	dst = wire.AppendUTF16Z(dst, name)
	return in.finish(dst, start)
}

// AppendInstanceUTF16 is [AppendInstance] with a name in UTF-16LE without a NUL.
func AppendInstanceUTF16(dst []byte, in InstanceHead, name []byte) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, InstanceLen)...)
	dst = append(append(dst, name...), 0, 0)
	return in.finish(dst, start)
}

// finish completes the definition at start, which its name follows.
func (in InstanceHead) finish(dst []byte, start int) []byte {
	name := len(dst) - start - InstanceLen
	for (len(dst)-start)%8 != 0 {
		dst = append(dst, 0)
	}

	le, p := binary.LittleEndian, dst[start:]
	le.PutUint32(p[AtInstLength:], uint32(len(p)))
	le.PutUint32(p[AtInstParentObject:], in.ParentObject)
	le.PutUint32(p[AtInstParentInstance:], in.ParentInstance)
	le.PutUint32(p[AtInstUniqueID:], uint32(in.UniqueID))
	le.PutUint32(p[AtInstNameOffset:], InstanceLen)
	le.PutUint32(p[AtInstNameLength:], uint32(name))
	return dst
}

// InstanceSize returns the number of bytes that AppendInstance appends for a name of so
// many bytes of UTF-16 without a NUL.
func InstanceSize(name int) int {
	n := InstanceLen + name + 2
	return n + Padding(n)
}

// AppendCounterBlock appends a PERF_COUNTER_BLOCK of size bytes, including its length, with
// values of 0.
func AppendCounterBlock(dst []byte, size int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(size))
	return append(dst, make([]byte, size-blockSize)...)
}

func systemTime(t time.Time) [8]uint16 {
	return [8]uint16{
		uint16(t.Year()), uint16(t.Month()), uint16(t.Weekday()), uint16(t.Day()),
		uint16(t.Hour()), uint16(t.Minute()), uint16(t.Second()),
		uint16(t.Nanosecond() / int(time.Millisecond)),
	}
}

// SystemTimeAt reads a SYSTEMTIME.
func SystemTimeAt(b []byte) (fields [8]uint16) {
	for i := range fields {
		fields[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return fields
}
