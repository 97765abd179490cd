package prometheus

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	eight = 1e8                // what has more than eight digits
	zeros = 0x3030303030303030 // "00000000"
)

// appendUint appends v in decimal: words of digits, written whole where they belong. That is
// quicker than strconv.AppendUint, which makes digits elsewhere, from the last to the first.
func appendUint(dst []byte, v uint64) []byte {
	// The first word has up to four or eight digits, those behind it have eight.
	var first uint64
	most, words := 4, 0
	switch {
	case v < 1e4:
		first = fourDigits(v)
	case v < 1e8:
		first, most = eightDigits(v), 8
	case v < 1e12:
		first, words = fourDigits(v/eight), 1
	case v < 1e16:
		first, most, words = eightDigits(v/eight), 8, 1
	default:
		first, words = fourDigits(v/(eight*eight)), 2
	}

	const room = 8 + 8 + 8
	dst = slices.Grow(dst, room)
	to := dst[len(dst) : len(dst)+room]

	// Zeros in front are shifted out; the last digit stays, whatever it is.
	front := bits.TrailingZeros64(first|1<<(8*most-8)) &^ 7
	binary.LittleEndian.PutUint64(to, (first|zeros)>>front)
	n := most - front/8

	if words == 2 {
		binary.LittleEndian.PutUint64(to[n:], eightDigits(v/eight%eight)|zeros)
		n += 8
	}
	if words > 0 {
		binary.LittleEndian.PutUint64(to[n:], eightDigits(v%eight)|zeros)
		n += 8
	}
	return dst[:len(dst)+n]
}

// eightDigits returns the decimal digits of v, which is below 1e8, each in a byte, the first one
// in the lowest. It halves v again and again, all parts at once.
func eightDigits(v uint64) uint64 {
	return pairs(v/1e4 | v%1e4<<32)
}

// fourDigits does the same for v below 1e4.
func fourDigits(v uint64) uint64 { return pairs(v) }

// pairs returns the digits of both halves of a word, which are below 1e4.
func pairs(v uint64) uint64 {
	high := v * 10486 >> 20 & 0x7f_0000007f // of four digits the first two: n/100 for n < 10,000
	v = high | (v-100*high)<<16

	high = v * 103 >> 10 & 0x000f_000f_000f_000f // of two digits the first: n/10 for n < 100
	return high | (v-10*high)<<8
}

// ticksPerSecond are units of 100 ns.
const ticksPerSecond = 1e7

// appendTicks appends units of 100 ns as seconds, with no zeros at the end.
func appendTicks(dst []byte, ticks uint64) []byte {
	dst = appendUint(dst, ticks/ticksPerSecond)
	fraction := ticks % ticksPerSecond
	if fraction == 0 {
		return dst
	}

	// Its seven digits come behind a zero, in whose place the point stands.
	digits := eightDigits(fraction)
	dst = binary.LittleEndian.AppendUint64(dst, digits|zeros&^0xff|'.')
	return dst[:len(dst)-bits.LeadingZeros64(digits)/8]
}
