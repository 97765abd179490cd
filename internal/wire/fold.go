package wire

import (
	"unicode"
	"unicode/utf8"
)

// Fold returns the smallest character that is equal to r under Unicode simple folding: two
// characters are equal for strings.EqualFold if Fold returns the same for both.
func Fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}

	// SimpleFold cycles through equal characters in rising order.
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// AppendFolded appends the folded characters of s: equal bytes for all texts that are equal
// for strings.EqualFold, for use as map keys. Invalid UTF-8 becomes U+FFFD.
func AppendFolded(dst []byte, s string) []byte {
	for _, r := range s {
		dst = utf8.AppendRune(dst, Fold(r))
	}
	return dst
}
