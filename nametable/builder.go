package nametable

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/sorted"
)

// builder collects the pairs of a table. The text of the next pair is written to text
// before add is called.
type builder struct {
	text    strings.Builder
	pairs   []pair
	highest uint32
	seen    map[uint32]bool // all indices; nil while they rise
}

// order returns the fault of the next index: duplicate, notRising or none (ok).
func (b *builder) order(index uint32) (f *fault, ok bool) {
	if len(b.pairs) == 0 || index > b.highest {
		return nil, true
	}
	if b.seen == nil {
		b.seen = make(map[uint32]bool, len(b.pairs))
		for _, p := range b.pairs {
			b.seen[p.index] = true
		}
	}

	if b.seen[index] {
		return duplicate, false
	}
	return notRising, index > b.pairs[len(b.pairs)-1].index
}

func (b *builder) add(index uint32) {
	start := uint32(0)
	if n := len(b.pairs); n > 0 {
		start = b.pairs[n-1].end
	}
	b.pairs = append(b.pairs, pair{index, start, uint32(b.text.Len())})
	b.highest = max(b.highest, index)
	if b.seen != nil {
		b.seen[index] = true
	}
}

// table returns the table. If an index was added twice, the later text is used.
func (b *builder) table(kind Kind) *Table {
	if b.seen != nil {
		// Texts are in reading order: for equal indices the later text is sorted first and
		// kept.
		sorted.Func(b.pairs, func(p, q pair) int {
			return cmp.Or(cmp.Compare(p.index, q.index), cmp.Compare(q.start, p.start))
		})
		b.pairs = slices.CompactFunc(b.pairs, func(p, q pair) bool { return p.index == q.index })
	}
	return &Table{kind: kind, text: b.text.String(), pairs: b.pairs}
}
