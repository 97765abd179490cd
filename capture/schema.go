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

const (
	tagInterface uint32 = 1 + iota
	tagCostly
	tagNames
	tagDamage
	tagSet
	tagOther
	tagZone
	tagSystem
)

// identity returns the key of a definition with this content.
func identity(content []byte) uint64 {
	sum := sha256.Sum256(content)
	return max(binary.LittleEndian.Uint64(sum[:]), 1) // 0 means none
}

// maxSections limits the sections of a schema: two for each counter set, and some others.
const maxSections = 1 << 17

// sections returns the number of sections in the payload of a schema.
func sections(s *winperf.Schema) int {
	return 4 + len(s.Names) + len(s.Damage) + len(s.Sets) + len(s.Interfaces)
}

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
		table := appendSized(nil, []byte(t.Language))
		table = appendSized(table, t.Counter)
		b = appendSection(b, tagNames, appendSized(table, t.Help))
	}

	for _, err := range s.Damage {
		b = appendSection(b, tagDamage, appendDamage(nil, err))
	}
	for i := range s.Sets {
		set := append([]byte{}, s.Sets[i].GUID[:]...)
		set = binary.LittleEndian.AppendUint32(set, s.Sets[i].Title)
		b = appendSection(b, tagSet, append(set, s.Sets[i].Info...))
	}

	// The identity of a schema depends on its bytes, so they need a fixed order.
	for _, title := range slices.Sorted(maps.Keys(s.Interfaces)) {
		other := binary.LittleEndian.AppendUint32(nil, title)
		b = appendSection(b, tagOther, append(other, s.Interfaces[title]...))
	}
	return b
}

func appendSection(b []byte, tag uint32, content []byte) []byte {
	return appendSized(binary.LittleEndian.AppendUint32(b, tag), content)
}

func appendSized(b, content []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(content))), content...)
}

const (
	errSchema   = fault("a length in the schema reaches beyond its end")
	errSections = fault("too many sections in the schema")
)

// keptSchema is the decoded payload of a schema.
type keptSchema struct {
	*winperf.Schema
	id     uint64     // 0 for none
	size   int        // bytes of the payload
	zone   *zone.Info // nil if unknown
	system string     // "" if unknown
}

// parseSchema reads the payload of a schema. The result refers to b.
func parseSchema(b []byte) (keptSchema, error) {
	s := keptSchema{Schema: &winperf.Schema{}, size: len(b)}
	p := fieldReader{rest: b}
	for n := 0; len(p.rest) > 0; n++ {
		if n >= maxSections {
			return s, fmt.Errorf("%w: expected at most %d", errSections, maxSections)
		}
		tag := p.u32()
		content := fieldReader{rest: p.block()}
		s.addSection(tag, &content)
		if p.bad || content.bad {
			return s, errSchema
		}
	}
	return s, nil
}

func (s *keptSchema) addSection(tag uint32, p *fieldReader) {
	switch tag {
	case tagInterface:
		s.Interface = string(p.rest)

	case tagCostly:
		for len(p.rest) > 0 && !p.bad {
			s.Costly = append(s.Costly, p.u32())
		}

	case tagNames:
		t := winperf.NameTable{Language: string(p.block()), Counter: p.block(), Help: p.block()}
		s.Names = append(s.Names, t)
		p.bad = p.bad || len(p.rest) > 0

	case tagDamage:
		if warning := p.u8() != 0; !p.bad {
			e := winperf.DataError{Source: recorded, Offset: -1, Msg: string(p.rest), Warning: warning}
			s.Damage = append(s.Damage, &e)
		}

	case tagSet:
		var set winperf.CounterSet
		copy(set.GUID[:], p.take(len(set.GUID)))
		set.Title, set.Info = p.u32(), p.rest
		s.Sets = append(s.Sets, set)

	case tagOther:
		if s.Interfaces == nil {
			s.Interfaces = map[uint32]string{}
		}
		s.Interfaces[p.u32()] = string(p.rest)

	case tagZone:
		if p.bad = len(p.rest) != zone.Size; !p.bad {
			z := zone.Parse(p.rest)
			s.zone = &z
		}
	case tagSystem:
		s.system = string(p.rest)
	}
}

// recorded is the Source of damage found when the sample was taken. The capture stores its
// text and whether it is a warning.
const recorded = "when it was recorded"

func appendDamage(b []byte, err error) []byte {
	var e *winperf.DataError
	warning, text := byte(0), err.Error()
	if errors.As(err, &e) && e.Warning {
		warning = 1
	}
	if e != nil && e.Source == recorded { // copied from another capture
		text = e.Msg
	}
	return append(append(b, warning), text...)
}
