package rules

import (
	"bytes"
	"unicode/utf8"
)

// Places converts offsets to positions. Offsets must be requested in rising order, so that each
// byte is read once.
type Places struct {
	data []byte
	at   int // the offset of Position
	Position
}

// NewPlaces returns the places of a text.
func NewPlaces(data []byte) Places { return Places{data: data, Position: Position{1, 1}} }

// Of returns the position of an offset.
func (p *Places) Of(offset int64) Position {
	to := max(int(min(offset, int64(len(p.data)))), p.at)
	passed := p.data[p.at:to]
	p.at = to

	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		p.Line += bytes.Count(passed, []byte("\n"))
		p.Column = 1
		passed = passed[last+1:]
	}
	p.Column += utf8.RuneCount(passed)
	return p.Position
}
