package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
)

// A sample of several parts is stored as one sequence of bytes, so that one difference from
// the reference covers it. Blocks begin at whole words.

const (
	// formatParts replaces a sample's format.
	formatParts = 0xff
	partSize    = 64 // of a part's head, without its texts
	onlySize    = 4 + 16
	maxParts    = 1024
)

// The flags of a part.
const (
	partEmpty       = 1 << iota // no block
	partUnchanged               // the block is unchanged since the previous sample
	partOmitted                 // it is not stored again, but is at the offset
	partSome                    // only some objects of the block belong to the sample
	partIndependent             // the part is sampled on its own schedule
)

// needsParts reports whether a sample needs the form for several parts.
func needsParts(s *winperf.Sample) bool {
	if len(s.Parts) != 1 {
		return true
	}
	p := &s.Parts[0]
	return p.Block == nil || p.Only != nil || p.Name != "" || p.Independent
}

// partRecord is the block of a part in an earlier sample, and the offset of its record.
type partRecord struct {
	block  *winperf.Block
	number uint64 // of the block at that time: its memory may have been reused
	offset int64
}

// lasting holds the blocks of the previous sample, by part.
type lasting []partRecord

// keep makes b the previous block of part i, nil for none.
func (l *lasting) keep(i int, b *winperf.Block, offset int64) {
	for len(*l) <= i {
		*l = append(*l, partRecord{})
	}
	(*l)[i] = partRecord{block: b, offset: offset}
	if b != nil {
		(*l)[i].number = b.Number()
	}
}

func (l *lasting) cut(i int) {
	for k := i; k < len(*l); k++ {
		l.keep(k, nil, 0)
	}
}

// of returns the offset of the record with the previous block of part i, if b is that
// block.
func (l lasting) of(i int, b *winperf.Block) (offset int64, unchanged bool) {
	if i < len(l) && b != nil && l[i].number == b.Number() {
		return l[i].offset, true
	}
	return 0, false
}

// has reports whether the previous block of part i is the one in the record at an offset,
// and is unchanged.
func (l lasting) has(i int, offset int64) bool {
	return i < len(l) && l[i].offset == offset && l[i].block != nil && l[i].block.Number() == l[i].number
}

// holds reports whether b is the previous block of a part.
func (l lasting) holds(b *winperf.Block) bool {
	return slices.ContainsFunc(l, func(g partRecord) bool { return g.block == b })
}

// appendParts appends a sample of several parts. Unchanged blocks are omitted unless all is
// true.
func appendParts(b []byte, s *winperf.Sample, last lasting, all bool) ([]byte, error) {
	start := len(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.Parts)))
	for i := range s.Parts {
		p := &s.Parts[i]
		text := ""
		if p.Block == nil && p.Err != nil {
			text = p.Err.Error()
		}

		if len(p.Name) > 0xffff || len(p.Only) > 0xffff || len(s.Parts) > maxParts {
			const form = "capture: %d parts, or %d objects of the part %.40q, are too many for a sample: %w"
			return b, fmt.Errorf(form, len(s.Parts), len(p.Only), p.Name, winperf.ErrNotSupported)
		}
		text = text[:min(len(text), 0xffff)]

		offset, unchanged := last.of(i, p.Block)
		b = appendPart(b, p, offset, unchanged, unchanged && !all, len(text))
		b = append(append(b, p.Name...), text...)
		for _, id := range p.Only {
			b = binary.LittleEndian.AppendUint32(b, id.Index)
			b = append(b, id.GUID[:]...)
		}
	}

	for i := range s.Parts {
		if block := s.Parts[i].Block; block != nil {
			if _, unchanged := last.of(i, block); all || !unchanged {
				b = append(padWord(b, start), block.Bytes...)
			}
		}
	}
	return b, nil
}

func appendPart(b []byte, p *winperf.Part, offset int64, unchanged, omitted bool, text int) []byte {
	var raw winperf.Raw
	var flags uint16
	switch {
	case p.Block == nil:
		flags = partEmpty
	case !omitted:
		raw = p.Block.Raw
	}

	if unchanged {
		flags |= partUnchanged
	}
	if omitted {
		flags |= partOmitted
	}
	if p.Only != nil {
		flags |= partSome
	}
	if p.Independent {
		flags |= partIndependent
	}

	b = append(b, byte(raw.Format), byte(raw.Quirks))
	b = binary.LittleEndian.AppendUint16(b, flags)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(raw.Bytes)))
	b = appendClocks(b, &raw)
	b = binary.LittleEndian.AppendUint64(b, uint64(offset))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(p.Name)))
	b = binary.LittleEndian.AppendUint16(b, uint16(text))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(p.Only)))
	return binary.LittleEndian.AppendUint16(b, 0)
}

func padWord(b []byte, start int) []byte {
	for (len(b)-start)%word != 0 {
		b = append(b, 0)
	}
	return b
}

const errParts = fault("its parts are longer than it is")

type partHead struct {
	raw    winperf.Raw // without bytes
	flags  uint16
	length int
	offset int64 // of an unchanged block
}

// parseParts reads the form that appendParts writes, into blocks that next returns. Parts
// with an omitted block have none.
func parseParts(b []byte, s *winperf.Sample, next func() *winperf.Block) ([]partHead, error) {
	p := fieldReader{rest: b}
	n := p.u64()
	if p.bad || n > maxParts {
		return nil, errParts
	}

	heads := make([]partHead, n)
	for i := range heads {
		part := winperf.Part{}
		if heads[i] = p.part(&part); p.bad {
			return nil, errParts
		}
		s.Parts = append(s.Parts, part)
	}

	for i, h := range heads {
		if h.flags&(partEmpty|partOmitted) != 0 {
			continue
		}
		for (len(b)-len(p.rest))%word != 0 && len(p.rest) > 0 {
			p.take(1) // padding to a whole word
		}
		bytes := p.take(h.length)
		if p.bad {
			return nil, errParts
		}

		block := next()
		raw := h.raw
		raw.Bytes = append(block.Bytes[:0], bytes...)
		block.Raw = raw
		s.Parts[i].Block = block
	}

	if len(p.rest) > 0 {
		return nil, errParts
	}
	return heads, nil
}

func (p *fieldReader) part(part *winperf.Part) (h partHead) {
	h.raw.Format, h.raw.Quirks = winperf.Format(p.u8()), winperf.Quirks(p.u8())
	h.flags = p.u16()
	h.length = int(p.u32())
	p.clocks(&h.raw)
	h.offset = int64(p.u64())
	name, text, only := p.u16(), p.u16(), p.u16()
	p.u16()
	p.bad = p.bad || h.raw.Format == formatParts

	part.Name, part.Independent = string(p.take(int(name))), h.flags&partIndependent != 0
	if text := p.take(int(text)); len(text) > 0 {
		part.Err = errors.New(string(text))
	}
	if h.flags&partSome != 0 {
		part.Only = []winperf.ObjectID{}
	}
	for range only {
		id := winperf.ObjectID{Index: p.u32()}
		copy(id.GUID[:], p.take(len(id.GUID)))
		if p.bad {
			break
		}
		part.Only = append(part.Only, id)
	}
	return h
}
