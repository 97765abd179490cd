package wire

import (
	"unicode"
	"unicode/utf8"
)

// Fold returns the smallest of the characters that are equal to r but for case, under
// Unicode simple folding: two characters are equal to strings.EqualFold where
// Fold gives the same for both.
func Fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}

	// The characters that are equal come round in rising order.
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// AppendFolded appends s with every character as Fold gives it: the same bytes for
// all texts that are equal to strings.EqualFold, so that maps can find them. What
// is no UTF-8 becomes U+FFFD.
func AppendFolded(dst []byte, s string) []byte {
	for _, r := range s {
		dst = utf8.AppendRune(dst, Fold(r))
	}
	return dst
}
