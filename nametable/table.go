package nametable

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
)

// Kind is the content of a table.
type Kind uint8

// The kinds. Counter tables use even indices, help tables odd ones.
const (
	Mixed Kind = iota
	Counter
	Help
)

// baseIndex is the index whose text is a number: the highest index of the system's own
// counters.
const baseIndex = 1

// fits reports whether a table of this kind normally holds the index.
func (k Kind) fits(index uint32) bool {
	switch k {
	case Counter:
		return index%2 == 0 || index == baseIndex
	case Help:
		return index%2 == 1
	}
	return true
}

// Table holds the names or the help texts of one language.
type Table struct {
	kind  Kind
	text  string
	pairs []pair // by rising index, without duplicates
}

// pair is an index and the place of its text in Table.text.
type pair struct{ index, start, end uint32 }

// FromMap returns a table with the given texts by index. Texts must be valid UTF-8, not
// empty and without NUL; the error names the first bad index. It wraps
// [winperf.ErrBadData], also if the texts exceed a limit of [Parse].
func FromMap(kind Kind, texts map[uint32]string) (*Table, error) {
	if len(texts) > maxPairs {
		const form = "name table: %d pairs, expected at most %d: %w"
		return nil, fmt.Errorf(form, len(texts), maxPairs, winperf.ErrBadData)
	}

	var b builder
	for _, index := range slices.Sorted(maps.Keys(texts)) {
		s := texts[index]
		if s == "" || strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
			const form = "name table: index %d has the text %.40q, expected UTF-8, no NUL, not empty: %w"
			return nil, fmt.Errorf(form, index, s, winperf.ErrBadData)
		}
		if b.text.Len()+len(s) > MaxBytes {
			return nil, fmt.Errorf("name table: index %d: expected at most %d bytes of text in all: %w",
				index, MaxBytes, winperf.ErrBadData)
		}

		b.text.WriteString(s)
		b.add(index)
	}
	return b.table(kind), nil
}

// Len returns the number of pairs, including the one with the base index.
func (t *Table) Len() int { return len(t.pairs) }

// All yields all pairs by rising index, including the one with the base index.
func (t *Table) All() iter.Seq2[uint32, string] {
	return func(yield func(uint32, string) bool) {
		for _, p := range t.pairs {
			if !yield(p.index, t.text[p.start:p.end]) {
				return
			}
		}
	}
}

func (t *Table) get(index uint32) (string, bool) {
	i, ok := slices.BinarySearchFunc(t.pairs, index, func(p pair, index uint32) int {
		return cmp.Compare(p.index, index)
	})
	if !ok {
		return "", false
	}
	p := t.pairs[i]
	return t.text[p.start:p.end], true
}

// baseIndex returns the number in the text of index 1: the highest index of the system's
// own counters (1847 on many systems). Counters installed later have higher indices.
func (t *Table) baseIndex() (base uint32, ok bool) {
	s, ok := t.get(baseIndex)
	if !ok {
		return 0, false
	}
	return parseIndex(s, 1)
}

// isBase reports whether index is the base index, which has no name.
func (t *Table) isBase(index uint32) bool {
	if index != baseIndex {
		return false
	}
	_, ok := t.baseIndex()
	return ok
}

// Name returns the name or help text of an index. It allocates nothing.
func (t *Table) Name(index uint32) (string, bool) {
	if t.isBase(index) {
		return "", false
	}
	return t.get(index)
}

// lookup returns the rising indices that have the text, ignoring case. It reads the whole
// table.
func (t *Table) lookup(text string) []uint32 {
	var found []uint32
	for index, s := range t.All() {
		if strings.EqualFold(s, text) && !t.isBase(index) {
			found = append(found, index)
		}
	}
	return found
}

// Encode appends the table to dst as MULTI_SZ bytes.
func (t *Table) Encode(dst []byte) []byte {
	var digits [10]byte
	for index, s := range t.All() {
		dst = wire.AppendUTF16Z(dst, string(strconv.AppendUint(digits[:0], uint64(index), 10)))
		dst = wire.AppendUTF16Z(dst, s)
	}
	return append(dst, 0, 0)
}

// NameTable encodes the table for a winperf.Schema. Even indices and index 1 (the base
// index) are written to the counter table, other odd ones to the help table.
func (t *Table) NameTable(language string) winperf.NameTable {
	nt := winperf.NameTable{Language: language}
	names := t.filter(func(index uint32) bool { return Counter.fits(index) })
	helps := t.filter(func(index uint32) bool { return !Counter.fits(index) })
	if names.Len() > 0 {
		nt.Counter = names.Encode(nil)
	}
	if helps.Len() > 0 {
		nt.Help = helps.Encode(nil)
	}
	return nt
}

func (t *Table) filter(keep func(index uint32) bool) *Table {
	f := &Table{kind: t.kind, text: t.text}
	for _, p := range t.pairs {
		if keep(p.index) {
			f.pairs = append(f.pairs, p)
		}
	}
	return f
}
