package datablock

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// trait is a property of a counter type for decoding.
type trait uint8

const (
	traitKnown      trait = 1 << iota // looked up
	traitText                         // the raw value is text
	traitBase                         // a base must follow
	traitMulti                        // a component count must follow, as a base or behind the value
	traitTickFreq                     // PERF_DATA_BLOCK.PerfFreq is needed
	traitObjectFreq                   // PERF_OBJECT_TYPE.PerfFreq is needed
	traitClock                        // the time of a clock is needed
	traitValueClock                   // it is an [ValueClock]
)

// traits caches the traits of types. Blocks have thousands of definitions and a few dozen
// types.
type traits [256]struct {
	typ   counter.Type
	trait trait
}

func (m *traits) of(t counter.Type) trait {
	slot := &m[(t^t>>8^t>>16^t>>24)%counter.Type(len(m))]
	if slot.trait == 0 || slot.typ != t {
		slot.typ = t
		slot.trait = traitsOf(t)
	}
	return slot.trait
}

func traitsOf(t counter.Type) trait {
	has := traitKnown
	if t.IsText() {
		has |= traitText
	}
	if t.NeedsBase() {
		has |= traitBase
	}
	if t.IsMulti() {
		has |= traitMulti
	}
	if _, clock := t.Second(); clock != counter.NoClock {
		has |= traitClock
	}
	if t == ValueClock {
		has |= traitValueClock
	}

	info, _ := t.Info()
	if info.NeedsFrequency() {
		has |= clockTraits[info.Clock]
	}
	return has
}

// clockTraits are the frequencies needed by formulas with a time base. The frequency of the
// 100 ns clock is fixed.
var clockTraits = map[counter.Clock]trait{
	counter.TickClock:   traitTickFreq,
	counter.ObjectClock: traitObjectFreq,
}

// TextPage returns the code page of a text counter's values: by its type UTF-16 or the
// object's code page, and 1252 if that is UTF-16.
func TextPage(t counter.Type, codePage uint32) uint32 {
	const ascii = 0x10000 // PERF_TEXT_ASCII
	if t&ascii != 0 && codePage == wire.UTF16LE {
		return 1252
	}
	if t&ascii != 0 {
		return codePage
	}
	return wire.UTF16LE
}
