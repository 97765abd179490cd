package prometheus

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/textset"
	"github.com/winperf/winperf/sink/metrics"
)

// Spool is a temporary file. What is written to it is read again, by position.
type Spool interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Backfill writes many Sets, such as those of a whole log, as one OpenMetrics text in which
// every sample has its time. The format wants all samples of a metric in one place, and of these
// all samples of a series, in the order of time. So nothing is written before Close: until
// then the values wait, sorted in pieces, and Close merges the pieces.
//
// It is what "promtool tsdb create-blocks-from openmetrics" takes. There are no _created
// samples in it. A Backfill is used by one goroutine at a time.
type Backfill struct {
	out        buffer
	to         io.Writer
	spoolFile  func() (Spool, error) // makes spool; nil keeps everything in memory
	memory     int                   // for values that wait, in bytes
	err        error                 // the first one; nothing is done behind it
	closed     bool
	outOfOrder int
	spool      Spool

	families []*history // in the order in which they came
	byName   map[string]*history
	rows     map[*metrics.Rows]*numbered // of the Set before
	labels   textset.Set                 // of rows, as they stand in labels.text
	sets     uint64

	values []uint64 // that wait
	used   int      // words of memory, those of values and of what says where they are
	pieces []piece
	sorter sorter
}

// history is a family, with all columns that it ever had.
type history struct {
	number int
	metrics.Family
	tracks []*track
}

// track is a column of a family, or two of a summary.
type track struct {
	extra    []metrics.Label
	suffixes [width]string
	starts   [width]start
	waiting  []segment
}

// width is the most columns that stand side by side: the sum and the count of a summary.
const width = 2

// segment is the values of a track at a time.
type segment struct {
	rows    *numbered
	milli   int64 // since 1970
	columns [width]stored
}

// stored is where values wait.
type stored struct {
	form   metrics.Form
	values []uint64
	absent []uint64
}

// numbered are rows by the numbers of their labels in Backfill.labels.
type numbered struct {
	numbers []uint32
	seen    uint64
	more    []metrics.Label // that rows got which have none of the name
}

// The memory that things take, in words of 8 bytes.
const (
	segmentWords  = 16
	defaultMemory = 16 << 20
)

// NewBackfill returns a Backfill that writes to w. spool makes the temporary file for values that do not fit
// into 16 MB of memory. It is called at most once, and Close closes the file. A nil spool keeps all values in
// memory. In addition the labels of all instances are kept, each once, and for each 16 MB of values in the
// file 16 KB when it is read again.
func NewBackfill(w io.Writer, spool func() (Spool, error)) *Backfill {
	return &Backfill{
		to: w, spoolFile: spool, memory: defaultMemory,
		byName: map[string]*history{}, rows: map[*metrics.Rows]*numbered{},
	}
}

// Add takes the samples of a Set, each with its time, and gives all of them more labels, such
// as the machine that they are of, but for rows that have one of these names already. The
// error is that of the temporary file, which every later call returns again; after Close
// it wraps winperf.ErrState, and winperf.ErrNotSupported of a Set that is not for OpenMetrics
// (TextOnly).
func (b *Backfill) Add(set *metrics.Set, more ...metrics.Label) error {
	switch {
	case b.err != nil:
		return b.err
	case b.closed:
		return fmt.Errorf("%w: the history is closed", winperf.ErrState)
	case set.TextOnly:
		return errTextOnly
	}

	b.sets++
	for i := range set.Families {
		f := &set.Families[i]
		if len(f.Columns) > 0 {
			b.family(set.Time, f, more)
		}
	}

	for rows, n := range b.rows {
		if n.seen != b.sets {
			delete(b.rows, rows)
		}
	}

	if b.spoolFile != nil && b.used*8 >= b.memory {
		b.err = b.spill()
	}
	return b.err
}

// OutOfOrder returns how many samples Close left out: those of a time that is not after the one
// before of the same series, since no database takes them. A clock that was set back
// makes them, and logs that overlap.
func (b *Backfill) OutOfOrder() int { return b.outOfOrder }

// family takes the columns of a family.
func (b *Backfill) family(moment time.Time, f *metrics.Family, more []metrics.Label) {
	h := b.byName[f.Name]
	if h == nil {
		h = &history{number: len(b.families), Family: *f}
		h.Columns = nil
		b.families, b.byName[f.Name] = append(b.families, h), h
	}

	for columns := f.Columns; len(columns) > 0; {
		n := min(together(columns), width)
		b.column(moment, h.track(columns[:n]), columns[:n], without(more, columns[0].Extra))
		columns = columns[n:]
	}
}

// without returns labels but those whose name others have.
func without(labels, others []metrics.Label) []metrics.Label {
	taken := func(l metrics.Label) bool {
		return slices.ContainsFunc(others, func(o metrics.Label) bool { return o.Name == l.Name })
	}
	if !slices.ContainsFunc(labels, taken) {
		return labels
	}
	return slices.DeleteFunc(slices.Clone(labels), taken)
}

// track returns that of columns, which it adds if it is not there.
func (h *history) track(columns []metrics.Column) *track {
	var suffixes [width]string
	for i := range columns {
		suffixes[i] = columns[i].Suffix
	}
	for _, t := range h.tracks {
		if t.suffixes == suffixes && slices.Equal(t.extra, columns[0].Extra) {
			return t
		}
	}

	t := &track{extra: slices.Clone(columns[0].Extra), suffixes: suffixes}
	for i := range columns {
		t.starts[i] = newStart(h.Name+suffixes[i], t.extra)
	}
	h.tracks = append(h.tracks, t)
	return t
}

// column keeps the values of columns that stand side by side. Rows get more labels, but those that they have.
func (b *Backfill) column(moment time.Time, t *track, columns []metrics.Column, more []metrics.Label) {
	at := columns[0].Time
	if at.IsZero() {
		at = moment
	}
	s := segment{rows: b.number(columns[0].Rows, more), milli: at.UnixMilli()}

	for i := range columns {
		c := &columns[i]
		rows := min(len(c.Bits), c.Rows.Len())
		s.columns[i] = stored{form: c.Form, values: b.keep(c.Bits[:rows])}
		if c.Absent != nil {
			s.columns[i].absent = b.keep(c.Absent)
		}
	}
	t.waiting = append(t.waiting, s)
	b.used += segmentWords
}

// keep copies words, of many columns into one piece of memory.
func (b *Backfill) keep(words []uint64) []uint64 {
	const atOnce = 64 << 10
	if len(words) > cap(b.values)-len(b.values) {
		b.values = make([]uint64, 0, max(atOnce, len(words)))
	}

	begin := len(b.values)
	b.values = append(b.values, words...)
	b.used += len(words)
	return b.values[begin:len(b.values):len(b.values)]
}

// number returns the numbers that the labels of rows have, with more of them for rows that lack those. The
// labels of a row are one text wherever they are from, as which rows have their own changes from Set to Set.
func (b *Backfill) number(rows *metrics.Rows, more []metrics.Label) *numbered {
	n := b.rows[rows]
	if n == nil || !slices.Equal(n.more, more) {
		n = &numbered{numbers: make([]uint32, 0, rows.Len()), more: slices.Clone(more)}
		full := rows
		if len(more) > 0 {
			full = withLabels(rows, more)
		}
		l, begin := newLabels(full), 0
		for _, end := range l.ends {
			k, _ := b.labels.Add(l.text[begin:end])
			n.numbers = append(n.numbers, uint32(k))
			begin = end
		}
		b.rows[rows] = n
		b.used += len(n.numbers)/2 + segmentWords
	}
	n.seen = b.sets
	return n
}

// withLabels are rows with more labels, but those that a row has.
func withLabels(rows *metrics.Rows, more []metrics.Label) *metrics.Rows {
	all := make([][]metrics.Label, rows.Len())
	for i := range all {
		own := rows.Labels(i)
		all[i] = slices.Clone(own)
		for _, l := range more {
			if !slices.ContainsFunc(own, func(o metrics.Label) bool { return o.Name == l.Name && o.Value != "" }) {
				all[i] = append(all[i], l)
			}
		}
		slices.SortStableFunc(all[i], func(a, b metrics.Label) int { return strings.Compare(a.Name, b.Name) })
	}
	return metrics.NewRows(all, nil)
}
