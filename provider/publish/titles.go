package publish

import (
	"hash/fnv"
	"maps"
	"slices"

	"github.com/winperf/winperf/provider"
)

// Title indices of published names. Each is computed from its name, so that it is the same
// on every machine and after every start, and no list has to be kept.
const (
	// FirstIndex is the least title index of a published name. The indices of Windows and
	// of package linuxhost are far below.
	FirstIndex = 1 << 28

	titleBase  = FirstIndex
	titleCount = 1 << 29 // even ones; the odd ones behind them are of help texts

	// beyondBase is where those begin that do not follow from names alone.
	beyondBase = titleBase + 2*titleCount
)

// titleBook knows which title index stands for which text.
type titleBook struct {
	texts   map[uint32]string
	objects map[uint32]bool      // that are an object's
	beyond  map[beyondKey]uint32 // of texts that found no place by their hash
	last    uint32               // how many indices beyond were given
}

// beyondKey is a text and whether it is a name (0) or a help text (1).
type beyondKey struct {
	text string
	odd  uint32
}

func newTitleBook() *titleBook {
	return &titleBook{texts: map[uint32]string{}, objects: map[uint32]bool{}, beyond: map[beyondKey]uint32{}}
}

// hash returns the even index that a text has if no other one has it.
func hash(text string) uint32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // it never fails
	return titleBase + 2*uint32(h.Sum64()%titleCount)
}

// next is the index to try after one that is taken.
func next(index uint32) uint32 { return titleBase + (index-titleBase+2)%(2*titleCount) }

// entitle returns the indices of a name and its help text. An index stands for a text and its
// translations, so that the translations of one publisher are not shown for the text of
// another; name finds the index of the name.
func (b *titleBook) entitle(
	english, help string, languages map[string]provider.Text, name func(key string) uint32,
) (index, helpIndex uint32) {
	for _, id := range slices.Sorted(maps.Keys(languages)) {
		english += "\x00" + id + languages[id].Name
		help += "\x00" + id + languages[id].Help
	}
	return name(english), b.help(help)
}

// name returns the index of a counter's name. Two names that fall on one index
// are told apart by age: the older publisher keeps the title, the other one gets the
// next that is free. Where very many fall on one, which takes intent, the index is one
// that no name has by its hash: so no publisher's names keep another's from being shown.
func (b *titleBook) name(text string) uint32 { return b.find(hash(text), 0, text) }

// help returns the index of a help text.
func (b *titleBook) help(text string) uint32 { return b.find(hash(text), 1, text) }

// object returns the index of an object of that name. Another one of the same
// name, with other counters, gets one that follows from these, too.
func (b *titleBook) object(text, variant string) uint32 {
	index := b.find(hash(text+variant), 0, text)
	for range probes {
		if !b.objects[index] || index >= beyondBase {
			break
		}
		index = b.find(next(index), 0, text)
	}

	if b.objects[index] {
		index = b.goBeyond(0, text) // for this object alone
	}
	b.objects[index] = true
	return index
}

// probes bounds how many indices are tried for one text. Without intent no more
// than a few texts fall on one.
const probes = 64

func (b *titleBook) find(index, odd uint32, text string) uint32 {
	for range probes {
		other, taken := b.texts[index+odd]
		if !taken || other == text {
			b.texts[index+odd] = text
			return index + odd
		}
		index = next(index)
	}

	key := beyondKey{text, odd}
	if _, known := b.beyond[key]; !known {
		b.beyond[key] = b.goBeyond(odd, text)
	}
	return b.beyond[key]
}

// goBeyond gives a text an index that no text has by its hash. There are more of these
// than definitions fit into the memory that a reader spends on them.
func (b *titleBook) goBeyond(odd uint32, text string) uint32 {
	index := beyondBase + 2*b.last + odd
	b.last++
	b.texts[index] = text
	return index
}
