package prometheus

import (
	"math"

	"github.com/winperf/winperf/sink/metrics"
)

// series is a column being written, with copies of the fields that each value needs.
type series struct {
	*line
	most   int // the largest length of a sample without the labels of its row
	form   metrics.Form
	bits   []uint64
	absent []uint64
	end    []byte // after a number: the time, if it is written, and a line feed
	buf    [maxNumber + 2]byte
}

func (s *series) begin(opt Options, set *metrics.Set, c *metrics.Column, l *line) {
	s.line, s.form, s.bits, s.absent = l, c.Form, c.Bits, c.Absent

	at := c.Time
	if at.IsZero() {
		at = set.Time
	}
	s.end = s.buf[:0]
	if opt.Times && !at.IsZero() {
		s.end = appendTime(append(s.end, ' '), opt.Format, at)
	}
	s.end = append(s.end, '\n')

	s.most = l.longest + maxNumber + len(s.end)
}

func (s *series) has(i int) bool {
	return i < len(s.bits) && (s.absent == nil || s.absent[i/64]>>(i%64)&1 == 0)
}

// sample appends the value of row i to text, which must have the capacity.
func (s *series) sample(text []byte, i int, labels []byte) []byte {
	text = s.value.append(text, labels)

	switch s.form {
	case metrics.Whole:
		text = appendUint(text, s.bits[i])
	case metrics.Ticks100ns:
		text = appendTicks(text, s.bits[i])
	default:
		text = appendFloat(text, math.Float64frombits(s.bits[i]))
	}

	if len(s.end) == 1 {
		return append(text, '\n')
	}
	return append(text, s.end...)
}

// append appends the text before a number to text, which must have the capacity.
func (s *start) append(text, labels []byte) []byte {
	first := s.labelled
	if len(labels) == 0 {
		first = s.bare
	}

	at := len(text) + len(first)
	text = text[:at+len(labels)]
	copy(text[at-len(first):], first)
	copy(text[at:], labels)
	return text
}

func (e *Encoder) writeColumn(s *series, l *labels) {
	text, begin := e.out.text, 0
	for i, end := range l.ends {
		labels := l.text[begin:end]
		begin = end
		if !s.has(i) {
			continue
		}
		if need := len(labels) + s.most; need > cap(text)-len(text) {
			text = e.out.more(text, need)
		}
		text = s.sample(text, i, labels)
	}
	e.out.text = text
}

// write writes the samples of the group row by row. If rows is not nil, each row with a value is
// followed by its start.
func (e *Encoder) write(l *labels, rows *metrics.Rows) {
	text, begin := e.out.text, 0
	for i, end := range l.ends {
		labels := l.text[begin:end]
		begin = end

		for k := range e.group {
			s := &e.group[k]
			if !s.has(i) {
				continue
			}
			if need := len(labels) + s.most; need > cap(text)-len(text) {
				text = e.out.more(text, need)
			}
			text = s.sample(text, i, labels)
		}

		if rows != nil {
			text = e.writeCreated(text, i, labels, rows)
		}
	}
	e.out.text = text
}

// writeCreated writes the start of row i, if it is known and the row has a value.
func (e *Encoder) writeCreated(text []byte, i int, labels []byte, rows *metrics.Rows) []byte {
	s := &e.group[0]
	at, known := rows.Created(i)
	if !known || !s.has(i) {
		return text
	}

	if need := len(labels) + s.most; need > cap(text)-len(text) {
		text = e.out.more(text, need)
	}
	text = s.created.append(text, labels)
	text = appendCreated(text, at)
	return append(text, s.end...)
}
