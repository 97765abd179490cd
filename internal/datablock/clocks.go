package datablock

import (
	"encoding/binary"

	"github.com/winperf/winperf/counter"
)

// An object sampled at another time than its block has its clocks at the end of its header,
// which is longer; other readers skip them. This is an extension of winperf.h, because logs
// store samples whose objects were collected one after the other.
const (
	clocksMark = 0x4B43_584C // "LXCK"
	clocksSize = 8 + 3*8     // mark, padding, PerfTime, PerfFreq, PerfTime100nSec
)

// ValueClock is the type of two definitions behind a counter and its base: the clock at each
// value, and the clock's ticks per second. This is an extension of winperf.h, because PDH
// stores a clock with each value. Other readers ignore a base that no counter needs.
const ValueClock = counter.LargeRawBase | 0x00100000

// AppendClocks appends the clocks of an object that was not sampled at the time of the
// block's head, for the end of perfdata.Object.Extra. The object's own clock is not
// included; it is in PERF_OBJECT_TYPE.
func AppendClocks(extra []byte, c counter.Clocks) []byte {
	le := binary.LittleEndian
	extra = le.AppendUint64(extra, clocksMark)
	for _, v := range [...]int64{c.PerfTime, c.PerfFreq, c.Time100ns} {
		extra = le.AppendUint64(extra, uint64(v))
	}
	return extra
}

// AppendObject appends an encoded object with other clocks than its block, unless it
// already has clocks. The object must begin with a valid PERF_OBJECT_TYPE; otherwise it is
// appended unchanged.
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

// hasClocks reports whether the object at off has clocks at the end of its header, which is
// inside b.
func hasClocks(b []byte, off, header uint32) bool {
	return header >= ObjectLen+clocksSize &&
		binary.LittleEndian.Uint64(b[off+header-clocksSize:]) == clocksMark
}
