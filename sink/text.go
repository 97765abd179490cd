package sink

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// ellipsis stands for what was cut off.
const ellipsis = "…"

// runeWidth returns the number of columns that a terminal gives to a
// character: 2 for wide ones (Unicode Standard Annex 11), 0 for marks that
// combine with the character before them.
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
func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// cut shortens a text of safetext.Line to at most limit columns and ends it with an
// ellipsis where something is missing.
func cut(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	if textWidth(s) <= limit {
		return s
	}
	used := textWidth(ellipsis)
	for i, r := range s {
		if used += runeWidth(r); used > limit {
			return s[:i] + ellipsis
		}
	}
	return s
}
