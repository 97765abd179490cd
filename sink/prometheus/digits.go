package prometheus

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	eight = 1e8                // the first number of nine digits
	zeros = 0x3030303030303030 // "00000000"
)

// appendUint appends v in decimal, in words of eight digits, faster than strconv.AppendUint.
func appendUint(dst []byte, v uint64) []byte {
	// The first word has up to four or eight digits, the others eight.
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

	const size = 8 + 8 + 8
	dst = slices.Grow(dst, size)
	to := dst[len(dst) : len(dst)+size]

	// Shift leading zeros out, but keep the last digit.
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

// eightDigits returns the decimal digits of v < 1e8, each in a byte, the first in the lowest.
func eightDigits(v uint64) uint64 {
	return pairs(v/1e4 | v%1e4<<32)
}

func fourDigits(v uint64) uint64 { return pairs(v) }

// pairs returns the digits of both halves of a word, each below 1e4.
func pairs(v uint64) uint64 {
	high := v * 10486 >> 20 & 0x7f_0000007f // the first two of four digits: n/100 for n < 10,000
	v = high | (v-100*high)<<16

	high = v * 103 >> 10 & 0x000f_000f_000f_000f // the first of two digits: n/10 for n < 100
	return high | (v-10*high)<<8
}

const ticksPerSecond = 1e7

// appendTicks appends units of 100 ns as seconds, without trailing zeros.
func appendTicks(dst []byte, ticks uint64) []byte {
	dst = appendUint(dst, ticks/ticksPerSecond)
	fraction := ticks % ticksPerSecond
	if fraction == 0 {
		return dst
	}

	// The seven digits follow a zero, which the decimal point replaces.
	digits := eightDigits(fraction)
	dst = binary.LittleEndian.AppendUint64(dst, digits|zeros&^0xff|'.')
	return dst[:len(dst)-bits.LeadingZeros64(digits)/8]
}
