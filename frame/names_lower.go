package frame

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

func hashLower(seed maphash.Seed, s string) uint64 {
	var buf [128]byte
	if len(s) > len(buf) {
		return maphash.String(seed, strings.ToLower(s))
	}

	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return maphash.String(seed, strings.ToLower(s))
		}
		buf[i] = lowerASCII(s[i])
	}
	return maphash.Bytes(seed, buf[:len(s)])
}

func equalLower(a, b string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] >= utf8.RuneSelf || b[i] >= utf8.RuneSelf {
			//nolint:staticcheck // EqualFold knows more letters as equal
			return strings.ToLower(a) == strings.ToLower(b)
		}
		if lowerASCII(a[i]) != lowerASCII(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
