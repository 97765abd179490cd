package prometheus

import (
	"fmt"
	"io"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

// Times says which samples are written with their time.
type Times uint8

// The choices. Prometheus gives a sample without one the time of its scrape.
const (
	NoTimes    Times = iota
	TimesApart       // of columns that were not taken at the time of their Set
	AllTimes         // of all, for what was recorded
)

// Options for an [Encoder]. The zero options are those of a live scrape in the text format.
type Options struct {
	Format Format
	Times  Times
	// NoCreated leaves out the _created samples of OpenMetrics, which many databases
	// store as values of their own.
	NoCreated bool
}

// Encoder writes Sets as text. It keeps the text of what does not change from one Set to
// the next. It is used by one goroutine at a time, and shares nothing with other Encoders. The
// zero Encoder is one of the zero Options.
type Encoder struct {
	opt    Options
	end    []byte // of every exposition
	out    buffer
	heads  []head // by position in the Set
	labels map[*metrics.Rows]*labels
	count  uint64   // of Sets
	used   int      // labels that the Set needed
	group  []series // of the rows that are written
	// What the columns before had, as those of an object follow one another.
	lastRows *metrics.Rows
	last     *labels
}

// endOfText is the last line of OpenMetrics.
const endOfText = "# EOF\n"

// NewEncoder returns an Encoder.
func NewEncoder(opt Options) *Encoder {
	e := &Encoder{opt: opt}
	if opt.Format != Text {
		e.end = []byte(endOfText)
	}
	return e
}

// errTextOnly is about a Set that is [metrics.Set.TextOnly].
var errTextOnly = fmt.Errorf("OpenMetrics with names that break its rules is %w: they are for the text format only",
	winperf.ErrNotSupported)

// Encode writes a Set as a whole exposition, piece by piece while it goes through
// it. The error is that of w, which gets nothing more then, or wraps
// winperf.ErrNotSupported where there is no such format, or the Set is not for it (TextOnly).
func (e *Encoder) Encode(w io.Writer, set *metrics.Set) error {
	if e.opt.Format >= formats {
		return fmt.Errorf("format %d of metrics is %w", e.opt.Format, winperf.ErrNotSupported)
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

// match makes room for so many heads, and drops those behind them.
func (e *Encoder) match(families int) {
	if missing := families - len(e.heads); missing > 0 {
		e.heads = append(e.heads, make([]head, missing)...)
	}
	clear(e.heads[families:])
	e.heads = e.heads[:families]
}

// forget drops the labels that the Set did not need.
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

// family writes a metric. One that has no rows has no lines at all.
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
		switch created := l.created && h.created && !e.opt.NoCreated; {
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

// hasRows reports whether a metric is of anything.
func hasRows(f *metrics.Family) bool {
	for i := range f.Columns {
		if f.Columns[i].Rows.Len() > 0 {
			return true
		}
	}
	return false
}

// together returns how many columns, from the first one on, are of the same things: the sum
// and the count of a summary stand side by side for each row.
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

// rows returns the labels of rows as text.
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
