package publish

import "hash/fnv"

// Title indices of published names. They follow from the names, so that they are
// the same on every machine and after every start without anybody keeping a list.
// Windows' own and those of package linuxhost are far below.
const (
	// FirstIndex is where they begin.
	FirstIndex = 1 << 28

	titleBase  = FirstIndex
	titleCount = 1 << 29 // even ones; the odd ones behind them are of help texts
)

// titleBook knows which title index stands for which text.
type titleBook struct {
	texts   map[uint32]string
	objects map[uint32]bool // that are an object's
}

func newTitleBook() *titleBook {
	return &titleBook{texts: map[uint32]string{}, objects: map[uint32]bool{}}
}

// hash returns the even index that a text has if no other one has it.
func hash(text string) uint32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // it never fails
	return titleBase + 2*uint32(h.Sum64()%titleCount)
}

// next is the index to try after one that is taken.
func next(index uint32) uint32 { return titleBase + (index-titleBase+2)%(2*titleCount) }

// name returns the index of a counter's name. Two names that fall on one index
// are told apart by who comes first, the older publisher: the other one gets the
// next that is free. It is 0 where too many fall on one.
func (b *titleBook) name(text string) uint32 { return b.find(hash(text), 0, text) }

// help returns the index of a help text.
func (b *titleBook) help(text string) uint32 { return b.find(hash(text), 1, text) }

// object returns the index of an object of that name. Another one of the same
// name, with other counters, gets one that follows from these, too.
func (b *titleBook) object(text, variant string) uint32 {
	index := b.find(hash(text+variant), 0, text)
	for range probes {
		if !b.objects[index] || index == 0 {
			break
		}
		index = b.find(next(index), 0, text)
	}
	if b.objects[index] {
		return 0
	}
	b.objects[index] = index != 0
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
	return 0
}
