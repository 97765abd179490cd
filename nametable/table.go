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

// Kind tells what the texts of a table are.
type Kind uint8

// The kinds. Counter tables use even indices, help tables odd ones.
const (
	Mixed   Kind = iota // not known, or both
	Counter             // names of objects and counters: the registry's value Counter
	Help                // help texts: the registry's value Help
)

// baseIndex is the index of the pair that holds no name but a number, the
// highest index of the system's own counters.
const baseIndex = 1

// fits reports whether a table of the kind normally holds the index.
func (k Kind) fits(index uint32) bool {
	switch k {
	case Counter:
		return index%2 == 0 || index == baseIndex
	case Help:
		return index%2 == 1
	}
	return true
}

// Table is one language's table of names or help texts. All texts are parts of
// one string.
type Table struct {
	kind  Kind
	text  string
	pairs []pair // by rising index, none twice
}

// pair is an index and where its text stands in Table.text.
type pair struct{ index, start, end uint32 }

// FromMap returns a table of the given texts by index, as a provider needs it.
// A MULTI_SZ cannot hold an empty text or one with a NUL, and UTF-16 none that
// is not valid UTF-8: the error names the first such index. It wraps
// [winperf.ErrBadData], as it does where the texts exceed a limit of [Parse].
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

// Len returns the number of pairs, the first one with the base index included.
func (t *Table) Len() int { return len(t.pairs) }

// All yields all pairs, the one with the base index included, by rising index:
// the order of every undamaged table.
func (t *Table) All() iter.Seq2[uint32, string] {
	return func(yield func(uint32, string) bool) {
		for _, p := range t.pairs {
			if !yield(p.index, t.text[p.start:p.end]) {
				return
			}
		}
	}
}

// get returns the text of an index as the table has it.
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

// baseIndex returns the number that stands as text at index 1 of a counter
// table: the highest index of the system's own counters (1847 on many systems).
// Counters installed later lie above it. ok is false where the table has no
// such pair.
func (t *Table) baseIndex() (base uint32, ok bool) {
	s, ok := t.get(baseIndex)
	if !ok {
		return 0, false
	}
	return parseIndex(s, 1)
}

// isBase reports whether the index is the one of the base index, which is no name.
func (t *Table) isBase(index uint32) bool {
	if index != baseIndex {
		return false
	}
	_, ok := t.baseIndex()
	return ok
}

// Name returns the text of an index: a name or a help text, as the kind of the
// table is. It allocates nothing.
func (t *Table) Name(index uint32) (string, bool) {
	if t.isBase(index) {
		return "", false
	}
	return t.get(index)
}

// lookup returns all indices that have the text, whatever the case of its
// letters, by rising index. It reads the whole table.
func (t *Table) lookup(text string) []uint32 {
	var found []uint32
	for index, s := range t.All() {
		if strings.EqualFold(s, text) && !t.isBase(index) {
			found = append(found, index)
		}
	}
	return found
}

// Encode appends the table to dst as MULTI_SZ bytes, as the registry keeps it.
func (t *Table) Encode(dst []byte) []byte {
	var digits [10]byte // of 32 bits
	for index, s := range t.All() {
		dst = wire.AppendUTF16Z(dst, string(strconv.AppendUint(digits[:0], uint64(index), 10)))
		dst = wire.AppendUTF16Z(dst, s)
	}
	return append(dst, 0, 0)
}

// NameTable encodes the table as a source hands it out. The index tells what a
// text is: even ones are names and go to the counter table, as index 1 does
// (the base index, which is a number); other odd ones are help texts.
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

// filter returns the table of the pairs whose index is to be kept.
func (t *Table) filter(keep func(index uint32) bool) *Table {
	f := &Table{kind: t.kind, text: t.text}
	for _, p := range t.pairs {
		if keep(p.index) {
			f.pairs = append(f.pairs, p)
		}
	}
	return f
}
