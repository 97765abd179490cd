package datablock

import (
	"encoding/binary"

	"github.com/winperf/winperf/counter"
)

// The clocks of an object that was taken at another time than the rest of its
// block stand at the end of its header, which is longer by that; other readers
// step over them. winperf.h knows no such thing: a block has one time. But logs
// keep samples whose objects were collected one after the other.
const (
	clocksMark = 0x4B43_584C // "LXCK"
	clocksSize = 8 + 3*8     // mark, padding, PerfTime, PerfFreq, PerfTime100nSec
)

// OwnClock is the type of two definitions behind a counter, and behind its base if
// it has one: what the clock showed that each of its values was taken at, and the
// clock's ticks per second. winperf.h knows no such thing either, and a base that no
// counter needs is not found by other readers. But what PDH keeps are values with a
// clock each, and those of one object need not be the same.
const OwnClock = counter.LargeRawBase | 0x00100000

// AppendClocks appends the clocks of an object that was not taken at the time of
// the block's head, as they stand at the end of perfdata.Object.Extra. Those of the object
// itself, which have a place in PERF_OBJECT_TYPE, are not among them.
func AppendClocks(extra []byte, c counter.Clocks) []byte {
	le := binary.LittleEndian
	extra = le.AppendUint64(extra, clocksMark)
	for _, v := range [...]int64{c.PerfTime, c.PerfFreq, c.Time100ns} {
		extra = le.AppendUint64(extra, uint64(v))
	}
	return extra
}

// AppendObject appends an encoded object with other clocks than those of the
// block that it is to stand in. One that has clocks of its own keeps them. The
// object must begin with a whole PERF_OBJECT_TYPE whose lengths are inside of
// it; otherwise it is appended as it is.
func AppendObject(dst, object []byte, c counter.Clocks) []byte {
	le := binary.LittleEndian
	if len(object) < ObjectLen {
		return append(dst, object...)
	}

	header := u32(object, AtObjHeader)
	if header < ObjectLen || uint64(header) > uint64(len(object)) || hasClocks(object, 0, header) {
		return append(dst, object...)
	}

	start := len(dst)
	dst = append(dst, object[:header]...)
	dst = AppendClocks(dst, c)
	dst = append(dst, object[header:]...)
	for _, field := range [...]int{AtObjTotal, AtObjDefinition, AtObjHeader} {
		le.PutUint32(dst[start+field:], u32(object, field)+clocksSize)
	}
	return dst
}

// hasClocks tells whether the object at off has clocks at the end of its header,
// which is inside b.
func hasClocks(b []byte, off, header uint32) bool {
	return header >= ObjectLen+clocksSize &&
		binary.LittleEndian.Uint64(b[off+header-clocksSize:]) == clocksMark
}
