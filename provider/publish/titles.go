package publish

import (
	"hash/fnv"
	"maps"
	"slices"

	"github.com/winperf/winperf/provider"
)

// Title indices of published names. They are computed from the names, so that they are the same on all
// machines and after each start, without a stored list.
const (
	// FirstIndex is the smallest title index of a published name. The indices of Windows and of package
	// linuxhost are far below.
	FirstIndex = 1 << 28

	titleBase  = FirstIndex
	titleCount = 1 << 29 // for names, even; the odd ones are for help texts

	// beyondBase is the first index that does not depend on a name alone.
	beyondBase = titleBase + 2*titleCount
)

type titleBook struct {
	texts   map[uint32]string
	objects map[uint32]bool
	beyond  map[beyondKey]uint32
	last    uint32
}

type beyondKey struct {
	text string
	odd  uint32
}

func newTitleBook() *titleBook {
	return &titleBook{texts: map[uint32]string{}, objects: map[uint32]bool{}, beyond: map[beyondKey]uint32{}}
}

func hash(text string) uint32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return titleBase + 2*uint32(h.Sum64()%titleCount)
}

func next(index uint32) uint32 { return titleBase + (index-titleBase+2)%(2*titleCount) }

// entitle returns the indices of a name and its help text. name returns the index of the name.
// Translations are part of the key, so that one publisher's translations are not shown for another's
// text.
func (b *titleBook) entitle(
	english, help string, languages map[string]provider.Text, name func(key string) uint32,
) (index, helpIndex uint32) {
	for _, id := range slices.Sorted(maps.Keys(languages)) {
		english += "\x00" + id + languages[id].Name
		help += "\x00" + id + languages[id].Help
	}
	return name(english), b.help(help)
}

// name returns the index of a counter's name. If two names have the same hash, the name of the older
// publisher keeps the index, and the other name gets the next free index. After too many collisions,
// which only an attack causes, the index is outside the range of hashes, so that no publisher can hide
// the objects of another publisher.
func (b *titleBook) name(text string) uint32 { return b.find(hash(text), 0, text) }

func (b *titleBook) help(text string) uint32 { return b.find(hash(text), 1, text) }

// object returns the index of an object. variant distinguishes objects of the same name with different
// counters.
func (b *titleBook) object(text, variant string) uint32 {
	index := b.find(hash(text+variant), 0, text)
	for range probes {
		if !b.objects[index] || index >= beyondBase {
			break
		}
		index = b.find(next(index), 0, text)
	}

	if b.objects[index] {
		index = b.assignBeyond(0, text)
	}
	b.objects[index] = true
	return index
}

// probes limits the indices tried for one text. Without an attack only a few texts collide.
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
		b.beyond[key] = b.assignBeyond(odd, text)
	}
	return b.beyond[key]
}

// assignBeyond assigns an index that no hash has. The number of these indices exceeds the number of
// definitions that fit into a reader's memory budget.
func (b *titleBook) assignBeyond(odd uint32, text string) uint32 {
	index := beyondBase + 2*b.last + odd
	b.last++
	b.texts[index] = text
	return index
}
