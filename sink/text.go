package sink

import (
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/safetext"
	"golang.org/x/text/width"
)

const ellipsis = "…"

// runeWidth returns the number of columns of a character on a terminal: 2 for wide ones (Unicode
// Standard Annex 11), 0 for combining marks.
func runeWidth(r rune) int {
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

// textWidth returns the number of columns of a text of safetext.Line.
func textWidth[T string | []byte](s T) int {
	n := 0
	for i := 0; i < len(s); {
		r, size := safetext.Rune(s, i)
		n += runeWidth(r)
		i += size
	}
	return n
}

// cut shortens a text of safetext.Line to at most limit columns and ends it with an ellipsis.
func cut[T string | []byte](s T, limit int) T {
	if limit <= 0 {
		return s[:0]
	}
	if textWidth(s) <= limit {
		return s
	}

	used := textWidth(ellipsis)
	for i := 0; i < len(s); {
		r, size := safetext.Rune(s, i)
		if used += runeWidth(r); used > limit {
			return T(string(s[:i]) + ellipsis)
		}
		i += size
	}
	return s
}
