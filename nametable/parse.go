package nametable

import (
	"encoding/binary"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
)

// MaxBytes limits the size of a table. Real tables have 100 KB to 2 MB.
const MaxBytes = 16 << 20

// maxPairs limits the pairs of a table. Real tables have some thousand.
const maxPairs = 1 << 20

// Options control parsing. The zero value is strict and accepts a table of any kind.
type Options struct {
	// Kind is the expected content. Indices of the wrong parity cause a warning.
	Kind Kind
	// Tolerant continues after an empty string inside the list: some tables have empty
	// texts, and Samba writes surplus NULs after texts that are not ASCII.
	Tolerant bool
}

// Parse reads a table from MULTI_SZ bytes of the registry. It never fails as a whole: it
// returns the readable pairs and lists the damage in the order of the data. Without damage,
// the table's Encode returns the same bytes.
//
// A string that is expected to be an index but is not a number is skipped, which realigns
// the pairs. If an index is listed twice, the later text is used. Texts are not changed and
// may contain control characters; the code that prints them cleans them.
func Parse(b []byte, opt Options) (*Table, []error) { return parse("name table", b, 0, opt) }

// parse is Parse for bytes that begin at offset base of source.
func parse(source string, b []byte, base int, opt Options) (*Table, []error) {
	p := parser{opt: opt, b: b, base: base, damages: damageList{source: source}}
	if len(b) > MaxBytes {
		p.damage(tooLarge, MaxBytes, func() string { return fmt.Sprintf("%d bytes", len(b)) })
		p.b = b[:MaxBytes]
	} else if len(b)%2 != 0 {
		p.damage(oddLength, len(b)-1, func() string { return fmt.Sprintf("%d bytes", len(b)) })
		p.b = b[:len(b)-1]
	}

	// A pair has two NULs; the last may have one.
	p.table.pairs = make([]pair, 0, min((countNUL(p.b)+1)/2, maxPairs))
	p.table.text.Grow(len(p.b) / 2)
	p.run()
	return p.table.table(opt.Kind), p.damages.all()
}

// parser reads the strings of a MULTI_SZ.
type parser struct {
	opt     Options
	b       []byte // even length
	off     int    // offset of the next string
	base    int    // offset of b in its source
	table   builder
	damages damageList
}

func (p *parser) damage(f *fault, off int, found func() string) {
	p.damages.add(f, winperf.DataError{Offset: int64(p.base + off)}, found)
}

func (p *parser) run() {
	for p.off < len(p.b) {
		start, s := p.off, p.peek()
		if len(s) == 0 {
			if !p.emptyString() {
				return
			}
			continue
		}

		p.skip(s)
		index, ok := parseIndex(s, 2)
		if !ok {
			p.damage(badIndex, start, func() string { return quote(s) })
			continue
		}

		text := p.peek()
		if len(text) == 0 {
			p.damage(noText, start, func() string { return fmt.Sprintf("index %d without a text", index) })
			continue
		}

		if len(p.table.pairs) == maxPairs {
			p.damage(tooMany, start, func() string {
				return fmt.Sprintf("index %d after %d pairs", index,
					maxPairs)
			})
			return
		}

		p.checkIndex(start, s, index)
		writeUTF16(&p.table.text, text, func(i int) {
			p.damage(badUTF16, p.off+i, func() string {
				return fmt.Sprintf("unit 0x%04X",
					binary.LittleEndian.Uint16(text[i:]))
			})
		})
		p.table.add(index)
		p.skip(text)
	}
	p.damage(noTerminator, p.off, func() string { return "the end of the data" })
}

func (p *parser) peek() []byte {
	s, _, _ := wire.CutUTF16(p.b[p.off:])
	return s
}

func (p *parser) skip(s []byte) { p.off = min(p.off+len(s)+2, len(p.b)) }

// emptyString handles the empty string at off and reports whether the list continues.
func (p *parser) emptyString() bool {
	start := p.off
	for p.off < len(p.b) && p.b[p.off] == 0 && p.b[p.off+1] == 0 {
		p.off += 2
	}

	switch {
	case p.off == len(p.b):
		if n := p.off - start - 2; n > 0 {
			p.damage(padding, start+2,
				func() string { return fmt.Sprintf("%d zero bytes after the list", n) })
		}
		return false
	case p.opt.Tolerant:
		p.damage(emptyString, start, func() string { return "an empty string with data after it" })
		return true
	}
	p.damage(earlyEnd, start+2, func() string {
		return fmt.Sprintf("%d bytes after the list",
			len(p.b)-start-2)
	})
	return false
}

func (p *parser) checkIndex(start int, s []byte, index uint32) {
	if s[0] == '0' && len(s) > 2 {
		p.damage(leadingZero, start, func() string { return quote(s) })
	}
	if !p.opt.Kind.fits(index) {
		p.damage(parity, start, func() string { return fmt.Sprintf("index %d", index) })
	}
	if f, ok := p.table.order(index); !ok {
		p.damage(f, start, func() string {
			return fmt.Sprintf("index %d after %d", index, p.table.pairs[len(p.table.pairs)-1].index)
		})
	}
}

// parseIndex reads an index: one or more ASCII digits of unit bytes each (1 in UTF-8, 2 in
// UTF-16LE), up to 2^32-1.
func parseIndex[S string | []byte](s S, unit int) (uint32, bool) {
	var n uint64
	for i := 0; i < len(s); i += unit {
		digit := s[i] - '0'
		if digit > 9 || unit == 2 && s[i+1] != 0 {
			return 0, false
		}
		if n = n*10 + uint64(digit); n > 1<<32-1 {
			return 0, false
		}
	}
	return uint32(n), len(s) > 0
}
