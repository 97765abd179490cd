package wire

import (
	"unicode"
	"unicode/utf8"
)

// Fold returns the smallest character that equals r under Unicode simple case folding. Two
// characters are equal to strings.EqualFold if and only if Fold returns the same for both.
func Fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}

	// Equal characters form a cycle in ascending order.
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// AppendFolded appends s with every character folded: the same bytes for all texts that are equal
// to strings.EqualFold, for use as map keys. Invalid UTF-8 becomes U+FFFD.
func AppendFolded(dst []byte, s string) []byte {
	for _, r := range s {
		dst = utf8.AppendRune(dst, Fold(r))
	}
	return dst
}
