package safetext

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const ellipsis = "…"

// RuneWidth returns the number of columns of a character on a terminal: 2 for wide ones (Unicode
// Standard Annex 11), 0 for combining marks.
func RuneWidth(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Width returns the number of columns of a text of Line.
func Width[T string | []byte](s T) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := Rune(s, i)
		n += RuneWidth(r)
		i += size
	}
	return n
}

// Cut shortens a text of Line to at most limit columns and ends it with an ellipsis.
func Cut[T string | []byte](s T, limit int) T {
	if limit <= 0 {
		return s[:0]
	}
	if Width(s) <= limit {
		return s
	}

	used := Width(ellipsis)
	for i := 0; i < len(s); {
		r, size := Rune(s, i)
		if used += RuneWidth(r); used > limit {
			return T(string(s[:i]) + ellipsis)
		}
		i += size
	}
	return s
}
