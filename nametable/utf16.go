package nametable

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// countNUL counts the NUL units of UTF-16 of even length.
func countNUL(b []byte) int {
	n := 0
	for i := 0; i < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			n++
		}
	}
	return n
}

// writeUTF16 decodes UTF-16LE of even length into w. It calls bad with the
// offset of each half of a surrogate pair and writes U+FFFD in its place.
func writeUTF16(w *strings.Builder, b []byte, bad func(off int)) {
	for i := 0; i < len(b); i += 2 {
		r := rune(binary.LittleEndian.Uint16(b[i:]))
		switch {
		case r < utf8.RuneSelf:
			w.WriteByte(byte(r))
			continue
		case !utf16.IsSurrogate(r):
			w.WriteRune(r)
			continue
		}
		var low rune
		if i+4 <= len(b) {
			low = rune(binary.LittleEndian.Uint16(b[i+2:]))
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			bad(i)
		} else {
			i += 2
		}
		w.WriteRune(r)
	}
}

// decodeUTF16 returns UTF-16LE of even length as a string, with U+FFFD in the
// place of each half of a surrogate pair.
func decodeUTF16(b []byte) string {
	var w strings.Builder
	w.Grow(len(b) / 2)
	writeUTF16(&w, b, func(int) {})
	return w.String()
}

// quoted is the number of units of a string that an error shows.
const quoted = 40

// quote returns the start of a UTF-16LE string in quotes, for an error.
func quote(b []byte) string {
	if len(b) > 2*quoted {
		return strconv.Quote(decodeUTF16(b[:2*quoted])) + "…"
	}
	return strconv.Quote(decodeUTF16(b))
}

// appendUTF16 appends s in UTF-16LE.
func appendUTF16(dst []byte, s string) []byte {
	for _, r := range s {
		if r < 0x10000 {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(r))
			continue
		}
		high, low := utf16.EncodeRune(r)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(high))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(low))
	}
	return dst
}
