package prometheus

import (
	"fmt"
	"io"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

// Options configure an [Encoder]. The zero value suits live scrapes in the text format.
type Options struct {
	Format Format
	// Times writes each sample with its time, for logs. Prometheus gives a sample without a time the
	// time of its scrape.
	Times bool
	// Created writes the _created samples of OpenMetrics: the start times of counters. Databases
	// without created-timestamp ingestion store each of them as a series.
	Created bool
}

// Encoder writes Sets as text and caches the text that stays the same. It is used by one goroutine
// at a time and shares nothing with other Encoders. The zero Encoder has the zero Options.
type Encoder struct {
	opt    Options
	end    []byte // of every exposition
	out    buffer
	heads  []head // by position in the Set
	labels map[*metrics.Rows]*labels
	count  uint64   // of Sets
	used   int      // labels used by the Set
	group  []series // of the rows being written
	// The latest lookup, because columns of an object follow each other.
	lastRows *metrics.Rows
	last     *labels
}

const endOfText = "# EOF\n"

// NewEncoder returns an Encoder.
func NewEncoder(opt Options) *Encoder {
	e := &Encoder{opt: opt}
	if opt.Format != Text {
		e.end = []byte(endOfText)
	}
	return e
}

var errTextOnly = fmt.Errorf("OpenMetrics is %w for metric names that break its rules; use the text format",
	winperf.ErrNotSupported)

// Encode writes a Set as a whole exposition, in several writes. It returns the error of w, which
// then gets no more data, or an error that wraps winperf.ErrNotSupported if the format is unknown
// or does not allow the Set (TextOnly).
func (e *Encoder) Encode(w io.Writer, set *metrics.Set) error {
	if e.opt.Format >= formats {
		return fmt.Errorf("exposition format %d is %w", e.opt.Format, winperf.ErrNotSupported)
	}
	if set.TextOnly && e.opt.Format != Text {
		return errTextOnly
	}

	e.count++
	e.used = 0
	e.out.begin(w)
	e.match(len(set.Families))
	for i := range set.Families {
		e.family(set, &set.Families[i], &e.heads[i])
		if e.out.err != nil {
			break
		}
	}

	e.out.write(e.end)
	e.forget()
	return e.out.end()
}

func (e *Encoder) match(families int) {
	if missing := families - len(e.heads); missing > 0 {
		e.heads = append(e.heads, make([]head, missing)...)
	}
	clear(e.heads[families:])
	e.heads = e.heads[:families]
}

// forget drops the labels that the Set did not use.
func (e *Encoder) forget() {
	e.lastRows, e.last = nil, nil
	if e.used == len(e.labels) {
		return
	}

	for rows, l := range e.labels {
		if l.seen != e.count {
			delete(e.labels, rows)
		}
	}
}

func (e *Encoder) family(set *metrics.Set, f *metrics.Family, h *head) {
	if !hasRows(f) {
		return
	}
	h.update(f, e.opt.Format)
	e.out.write(h.text)

	for at := 0; at < len(f.Columns); {
		n := together(f.Columns[at:])
		e.group = slices.Grow(e.group[:0], n)[:n]
		for i := range n {
			e.group[i].begin(e.opt, set, &f.Columns[at+i], &h.lines[at+i])
		}

		rows := f.Columns[at].Rows
		l := e.rows(rows)
		switch created := l.created && h.created && e.opt.Created; {
		case created:
			e.write(l, rows)
		case n > 1:
			e.write(l, nil)
		default:
			e.writeColumn(&e.group[0], l)
		}
		at += n
	}
}

func hasRows(f *metrics.Family) bool {
	for i := range f.Columns {
		if f.Columns[i].Rows.Len() > 0 {
			return true
		}
	}
	return false
}

// together returns the number of leading columns with the same rows, such as the sum and the count
// of a summary. They are written together, row by row.
func together(columns []metrics.Column) int {
	first := &columns[0]
	for n := 1; n < len(columns); n++ {
		c := &columns[n]
		same := c.Rows == first.Rows && c.Suffix != columns[n-1].Suffix
		if !same || !slices.Equal(c.Extra, first.Extra) {
			return n
		}
	}
	return len(columns)
}

func (e *Encoder) rows(rows *metrics.Rows) *labels {
	if rows == e.lastRows {
		return e.last
	}

	l := e.labels[rows]
	if l == nil {
		l = newLabels(rows)
		if e.labels == nil {
			e.labels = map[*metrics.Rows]*labels{}
		}
		e.labels[rows] = l
	}

	if l.seen != e.count {
		l.seen = e.count
		e.used++
	}
	e.lastRows, e.last = rows, l
	return l
}
