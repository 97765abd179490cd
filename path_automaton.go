package winperf

import (
	"slices"

	"github.com/winperf/winperf/internal/wire"
)

// automaton is a pattern as a nondeterministic automaton. Each active state is a bit: state i is
// active if the name up to here matches the first i characters of the pattern, not counting stars.
// Matching never backtracks. An automaton is immutable.
type automaton struct {
	words int      // number of words of 64 states
	last  int      // the state of a full match
	loops []uint64 // states before a star, which matches any character
	// steps are the states that a character leads to, per class of characters. Only ? matches
	// characters of class 0.
	steps [][]uint64
	ascii [128]uint16     // the class of a character
	other map[rune]uint16 // of folded characters beyond ASCII
}

func newAutomaton(folded []rune) *automaton {
	var characters []rune
	var stars []int // states before stars
	for _, r := range folded {
		if r == anyRun {
			stars = append(stars, len(characters))
		} else {
			characters = append(characters, r)
		}
	}

	a := &automaton{words: len(characters)/64 + 1, last: len(characters)}
	a.loops = make([]uint64, a.words)
	for _, i := range stars {
		setBit(a.loops, i)
	}

	marks := make([]uint64, a.words)
	for i, r := range characters {
		if r == '?' {
			setBit(marks, i+1)
		}
	}
	a.steps = append(a.steps, marks)
	for i, r := range characters {
		if r != '?' {
			setBit(a.steps[a.class(r)], i+1)
		}
	}
	for r := 'a'; r <= 'z'; r++ {
		a.ascii[r] = a.ascii[wire.Fold(r)]
	}
	return a
}

func setBit(words []uint64, i int) { words[i/64] |= 1 << (i % 64) }

// class returns the class of a folded character, creating it if necessary.
func (a *automaton) class(r rune) uint16 {
	if at := a.find(r); at > 0 {
		return at
	}
	at := uint16(len(a.steps))
	a.steps = append(a.steps, slices.Clone(a.steps[0]))
	if r < 128 {
		a.ascii[r] = at
		return at
	}
	if a.other == nil {
		a.other = map[rune]uint16{}
	}
	a.other[r] = at
	return at
}

// find returns the class of a folded character, or 0 if only ? matches it.
func (a *automaton) find(r rune) uint16 {
	if r < 128 {
		return a.ascii[r]
	}
	return a.other[r]
}

func (a *automaton) classOf(r rune) uint16 {
	if r < 128 {
		return a.ascii[r]
	}
	return a.find(wire.Fold(r))
}

// match reports whether the whole name matches.
func (a *automaton) match(name string) bool {
	if a.words > 1 {
		return a.matchLong(name)
	}
	states, loops := uint64(1), a.loops[0]
	for at := 0; at < len(name); {
		if states&loops>>a.last&1 != 0 {
			return true // the pattern ends in a star
		}
		r, size := decode(name[at:])
		at += size
		states = states<<1&a.steps[a.classOf(r)][0] | states&loops
		if states == 0 {
			return false
		}
	}
	return states>>a.last&1 != 0
}

// matchLong is match for 64 or more characters.
func (a *automaton) matchLong(name string) bool {
	var memory [4]uint64
	states := memory[:]
	if a.words > len(memory) {
		states = make([]uint64, a.words)
	}
	states = states[:a.words]
	states[0] = 1

	for at := 0; at < len(name); {
		r, size := decode(name[at:])
		at += size
		step := a.steps[a.classOf(r)]
		carry, left := uint64(0), uint64(0)
		for w, s := range states {
			states[w] = (s<<1|carry)&step[w] | s&a.loops[w]
			carry = s >> 63
			left |= states[w]
		}
		if left == 0 {
			return false
		}
	}
	return states[a.last/64]>>(a.last%64)&1 != 0
}
