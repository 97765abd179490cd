package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// CutUTF16 cuts b at its first NUL: text is before it, rest behind it. Without a NUL, text
// is b.
func CutUTF16(b []byte) (text, rest []byte, found bool) {
	// Four characters at a time. Only the lowest bit in zero is certain.
	const low, high = 0x0001_0001_0001_0001, 0x8000_8000_8000_8000
	at := 0
	for ; len(b)-at >= 8; at += 8 {
		x := binary.LittleEndian.Uint64(b[at:])
		if zero := (x - low) &^ x & high; zero != 0 {
			at += bits.TrailingZeros64(zero) / 16 * 2
			return b[:at], b[at+2:], true
		}
	}

	for ; at+1 < len(b); at += 2 {
		if b[at] == 0 && b[at+1] == 0 {
			return b[:at], b[at+2:], true
		}
	}
	return b, nil, false
}

// Rune returns the first character of UTF-16LE text that is not empty, and its size in
// bytes. For an unpaired surrogate or an odd last byte ok is false and r is U+FFFD.
func Rune(b []byte) (r rune, size int, ok bool) {
	if len(b) < 2 {
		return utf8.RuneError, len(b), false
	}
	r = rune(binary.LittleEndian.Uint16(b))
	if !utf16.IsSurrogate(r) {
		return r, 2, true
	}

	var second rune
	if len(b) >= 4 {
		second = rune(binary.LittleEndian.Uint16(b[2:]))
	}

	if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
		return r, 2, false
	}
	return r, 4, true
}

// appendDecoded appends all of a UTF-16LE text in UTF-8.
func appendDecoded(dst, b []byte) []byte {
	for len(b) > 0 {
		if len(b) >= 2 && b[0] < utf8.RuneSelf && b[1] == 0 {
			dst, b = append(dst, b[0]), b[2:]
			continue
		}
		r, n, _ := Rune(b)
		dst, b = utf8.AppendRune(dst, r), b[n:]
	}
	return dst
}

// AppendUTF16 appends s in UTF-16LE, without NUL. Invalid UTF-8 becomes U+FFFD.
func AppendUTF16(dst []byte, s string) []byte {
	// UTF-16 has at most twice as many bytes as UTF-8.
	start := len(dst)
	dst = slices.Grow(dst, 2*len(s))
	space := dst[start : start+2*len(s)]

	// Four ASCII characters at a time.
	i := 0
	for ; len(s)-i >= 4; i += 4 {
		four := uint64(s[i]) | uint64(s[i+1])<<16 | uint64(s[i+2])<<32 | uint64(s[i+3])<<48
		if four&0x0080_0080_0080_0080 != 0 {
			break
		}
		binary.LittleEndian.PutUint64(space[2*i:], four)
	}

	dst = dst[:start+2*i]
	for _, r := range s[i:] {
		dst = AppendRune(dst, r)
	}
	return dst
}

// AppendUTF16Z appends s as AppendUTF16 does, and a NUL.
func AppendUTF16Z(dst []byte, s string) []byte { return append(AppendUTF16(dst, s), 0, 0) }

// AppendRune appends a character in UTF-16LE: one unit or two.
func AppendRune(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		high, low := utf16.EncodeRune(r)
		dst, r = append(dst, byte(high), byte(high>>8)), low
	}
	return append(dst, byte(r), byte(r>>8))
}

// NumUnits returns the number of UTF-16 units of s. Invalid UTF-8 counts as U+FFFD.
func NumUnits(s string) (n int) {
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Units returns s as UTF-16 units with a NUL.
func Units(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }

// UnitsText decodes UTF-16 units, including NULs. Unpaired surrogates become U+FFFD.
func UnitsText(units []uint16) string { return string(utf16.Decode(units)) }
