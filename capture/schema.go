package capture

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/zone"
)

// Tags of the sections of a schema.
const (
	tagInterface uint32 = 1 + iota
	tagCostly
	tagNames
	tagDamage
	tagSet
	tagOther
	tagZone
)

// identity is what references to a definition go by.
func identity(content []byte) uint64 {
	sum := sha256.Sum256(content)
	return max(binary.LittleEndian.Uint64(sum[:]), 1) // 0 stands for none
}

// maxSections is how many sections a schema may have: for each counter set two, and some
// for all else.
const maxSections = 1 << 17

// sections is how many sections the payload of a schema has.
func sections(s *winperf.Schema) int {
	return 3 + len(s.Names) + len(s.Damage) + len(s.Sets) + len(s.Interfaces)
}

// appendSchema appends the payload of a schema.
func appendSchema(b []byte, s *winperf.Schema) []byte {
	b = appendSection(b, tagInterface, []byte(s.Interface))
	if len(s.Costly) > 0 {
		var list []byte
		for _, index := range s.Costly {
			list = binary.LittleEndian.AppendUint32(list, index)
		}
		b = appendSection(b, tagCostly, list)
	}

	for _, t := range s.Names {
		table := appendBytes(nil, []byte(t.Language))
		table = appendBytes(table, t.Counter)
		b = appendSection(b, tagNames, appendBytes(table, t.Help))
	}

	for _, err := range s.Damage {
		b = appendSection(b, tagDamage, appendDamage(nil, err))
	}
	for i := range s.Sets {
		set := append([]byte{}, s.Sets[i].GUID[:]...)
		set = binary.LittleEndian.AppendUint32(set, s.Sets[i].Title)
		b = appendSection(b, tagSet, append(set, s.Sets[i].Info...))
	}

	// In order: a schema goes by its bytes.
	for _, title := range slices.Sorted(maps.Keys(s.Interfaces)) {
		other := binary.LittleEndian.AppendUint32(nil, title)
		b = appendSection(b, tagOther, append(other, s.Interfaces[title]...))
	}
	return b
}

func appendSection(b []byte, tag uint32, content []byte) []byte {
	return appendBytes(binary.LittleEndian.AppendUint32(b, tag), content)
}

func appendBytes(b, content []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(content))), content...)
}

// cutBytes cuts what appendBytes wrote from the beginning of b.
func cutBytes(b []byte) (content, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return nil, nil, false
	}
	return b[4 : 4+n : 4+n], b[4+n:], true
}

const (
	errSchema   = fault("a length in the schema reaches beyond its end")
	errSections = fault("the schema has too many sections")
)

// keptSchema is what the payload of a schema holds.
type keptSchema struct {
	*winperf.Schema
	zone *zone.Info // nil where it is not known
}

// parseSchema reads the payload of a schema, which the result refers to.
func parseSchema(b []byte) (keptSchema, error) {
	s := keptSchema{Schema: &winperf.Schema{}}
	for n := 0; len(b) > 0; n++ {
		if n >= maxSections {
			return s, fmt.Errorf("%w: expected at most %d", errSections, maxSections)
		}
		if len(b) < 4 {
			return s, errSchema
		}

		tag := binary.LittleEndian.Uint32(b)
		content, rest, ok := cutBytes(b[4:])
		if !ok || !s.addSection(tag, content) {
			return s, errSchema
		}
		b = rest
	}
	return s, nil
}

// addSection adds what a section holds to the schema.
func (s *keptSchema) addSection(tag uint32, b []byte) (ok bool) {
	switch tag {
	case tagInterface:
		s.Interface = string(b)
	case tagCostly:
		for ; len(b) >= 4; b = b[4:] {
			s.Costly = append(s.Costly, binary.LittleEndian.Uint32(b))
		}
		return len(b) == 0

	case tagNames:
		var t winperf.NameTable
		language, b, ok1 := cutBytes(b)
		counter, b, ok2 := cutBytes(b)
		help, b, ok3 := cutBytes(b)
		t.Language, t.Counter, t.Help = string(language), counter, help
		s.Names = append(s.Names, t)
		return ok1 && ok2 && ok3 && len(b) == 0

	case tagDamage:
		if len(b) == 0 {
			return false
		}
		s.Damage = append(s.Damage, parseDamage(b))

	case tagSet:
		return s.addSet(b)
	case tagOther:
		return s.addInterface(b)

	case tagZone:
		if len(b) != zone.Size {
			return false
		}
		z := zone.Parse(b)
		s.zone = &z
	}
	return true
}

// addSet adds a counter set.
func (s *keptSchema) addSet(b []byte) (ok bool) {
	const fixed = 16 + 4
	if len(b) < fixed {
		return false
	}
	s.Sets = append(s.Sets, winperf.CounterSet{
		GUID: winperf.GUID(b[:16]), Title: binary.LittleEndian.Uint32(b[16:]), Info: b[fixed:],
	})
	return true
}

// addInterface adds the interface of an object.
func (s *keptSchema) addInterface(b []byte) (ok bool) {
	if len(b) < 4 {
		return false
	}
	if s.Interfaces == nil {
		s.Interfaces = map[uint32]string{}
	}
	s.Interfaces[binary.LittleEndian.Uint32(b)] = string(b[4:])
	return true
}

// recorded is the source of damage that was known when the sample was taken. Only
// its text was kept, and whether anything was lost by it.
const recorded = "when it was recorded"

// appendDamage appends the payload of a section of damage.
func appendDamage(b []byte, err error) []byte {
	var e *winperf.DataError
	warning, text := byte(0), err.Error()
	if errors.As(err, &e) && e.Warning {
		warning = 1
	}
	if e != nil && e.Source == recorded { // from a capture into another
		text = e.Msg
	}
	return append(append(b, warning), text...)
}

// parseDamage reads what appendDamage wrote.
func parseDamage(b []byte) error {
	return &winperf.DataError{Source: recorded, Offset: -1, Msg: string(b[1:]), Warning: b[0] != 0}
}
