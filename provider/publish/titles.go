package publish

import "hash/fnv"

// Title indices of published names. They follow from the names, so that they are
// the same on every machine and after every start without anybody keeping a list.
// Windows' own and those of package linuxhost are far below.
const (
	titleBase  = 1 << 28
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
// next that is free.
func (b *titleBook) name(text string) uint32 { return b.find(hash(text), 0, text) }

// help returns the index of a help text.
func (b *titleBook) help(text string) uint32 { return b.find(hash(text), 1, text) }

// object returns the index of an object of that name. Another one of the same
// name, with other counters, gets one that follows from these, too.
func (b *titleBook) object(text, variant string) uint32 {
	index := hash(text + variant)
	for index = b.find(index, 0, text); b.objects[index]; {
		index = b.find(next(index), 0, text)
	}
	b.objects[index] = true
	return index
}

func (b *titleBook) find(index, odd uint32, text string) uint32 {
	for {
		other, taken := b.texts[index+odd]
		if !taken || other == text {
			b.texts[index+odd] = text
			return index + odd
		}
		index = next(index)
	}
}
