package nametable

import (
	"strings"
	"unicode"

	"github.com/winperf/winperf/internal/wire"
)

// LongText is the length in UTF-16 units above which a text is unusual.
const LongText = 1024

// Report is what a table alone tells about its own consistency.
type Report struct {
	Pairs   int    // all pairs, the one with the base index included
	Highest uint32 // the highest index
	// Base is the highest index of the system's own counters. A counter table
	// without it (HasBase false), or with a Highest far below it, was cut or
	// rebuilt wrongly.
	Base    uint32
	HasBase bool
	Texts   int // different texts
	Shared  int // texts that have more than one index
	// WrongParity are the indices that are odd in a counter table or even in a
	// help table: the texts may be out of step.
	WrongParity []uint32
	Control     []uint32 // indices of texts with control characters
	Long        []uint32 // indices of texts above LongText
}

// Check looks for what is unusual in a table. What a table should hold beyond
// itself (Last Counter, the ranges of services, the English table) it cannot
// tell.
func Check(t *Table) Report {
	r := Report{Pairs: t.Len()}
	r.Base, r.HasBase = t.BaseIndex()
	uses := make(map[string]int, t.Len())
	for index, text := range t.All() {
		r.Highest = index
		uses[text]++
		if !t.kind.fits(index) {
			r.WrongParity = append(r.WrongParity, index)
		}
		if strings.ContainsFunc(text, unicode.IsControl) {
			r.Control = append(r.Control, index)
		}
		if wire.NumUnits(text) > LongText {
			r.Long = append(r.Long, index)
		}
	}
	r.Texts = len(uses)
	for _, n := range uses {
		if n > 1 {
			r.Shared++
		}
	}
	return r
}
