package prometheus

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/textset"
	"github.com/winperf/winperf/sink/metrics"
)

// Spool is a temporary file that is written once and then read by position.
type Spool interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// Backfill writes many Sets, such as the Sets of a log, as one OpenMetrics text with the time of
// every sample, as "promtool tsdb create-blocks-from openmetrics" reads it. It writes no _created
// samples.
//
// OpenMetrics requires the samples of a metric in one place, ordered by series and time. Values are
// therefore sorted in runs, which Close merges. Nothing is written before Close. A Backfill is
// used by one goroutine at a time.
type Backfill struct {
	out        buffer
	to         io.Writer
	spoolFile  func() (Spool, error) // creates spool; nil keeps everything in memory
	memory     int                   // limit for waiting values, in bytes
	err        error                 // the first one; nothing happens after it
	closed     bool
	outOfOrder int
	spool      Spool

	families []*history // in the order of their appearance
	byName   map[string]*history
	rows     map[*metrics.Rows]*numbered // of the previous Set
	labels   textset.Set                 // the rows' labels, as in labels.text
	sets     uint64

	values []uint64 // waiting values
	used   int      // words of memory, of values and their positions
	runs   []run
	sorter sorter
}

type history struct {
	number int
	metrics.Family
	tracks []*track
}

// track is a column of a family, or the two columns of a summary.
type track struct {
	extra    []metrics.Label
	suffixes [width]string
	starts   [width]start
	waiting  []segment
}

// width is the largest number of columns in a track: the sum and the count of a summary.
const width = 2

// segment is the values of a track at one time.
type segment struct {
	rows    *numbered
	milli   int64 // since 1970
	columns [width]stored
}

// stored are the waiting values of a column.
type stored struct {
	form   metrics.Form
	values []uint64
	absent []uint64
}

// numbered are rows, by the numbers of their labels in Backfill.labels.
type numbered struct {
	numbers []uint32
	seen    uint64
	more    []metrics.Label // added to rows that lack a label of the name
}

const (
	segmentWords  = 16
	defaultMemory = 16 << 20
)

// NewBackfill returns a Backfill that writes to w. spool creates the temporary file for values that
// exceed 16 MB of memory. It is called at most once, and Close closes the file. A nil spool keeps
// all values in memory. The labels of all instances stay in memory, each once; reading the file
// takes 16 KB per 16 MB.
func NewBackfill(w io.Writer, spool func() (Spool, error)) *Backfill {
	return &Backfill{
		to: w, spoolFile: spool, memory: defaultMemory,
		byName: map[string]*history{}, rows: map[*metrics.Rows]*numbered{},
	}
}

// Add stores the samples of a Set, each with its time, and adds more labels, such as the machine,
// to rows that lack labels of these names. It returns the error of the temporary file, again from
// every later call; after Close an error that wraps winperf.ErrState. Metrics of a TextOnly Set whose
// names break the rules of their types have the type unknown.
func (b *Backfill) Add(set *metrics.Set, more ...metrics.Label) error {
	switch {
	case b.err != nil:
		return b.err
	case b.closed:
		return fmt.Errorf("%w: the backfill is closed", winperf.ErrState)
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

// OutOfOrder returns the number of samples that Close dropped because their time was not after the
// previous sample of the series. Clocks that were set back and overlapping logs cause them; no
// database accepts them.
func (b *Backfill) OutOfOrder() int { return b.outOfOrder }

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

// without returns labels without the names in others.
func without(labels, others []metrics.Label) []metrics.Label {
	taken := func(l metrics.Label) bool {
		return slices.ContainsFunc(others, func(o metrics.Label) bool { return o.Name == l.Name })
	}
	if !slices.ContainsFunc(labels, taken) {
		return labels
	}
	return slices.DeleteFunc(slices.Clone(labels), taken)
}

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

// keep copies words into memory shared by many columns.
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

// number returns the numbers of the rows' labels, with more labels for rows that lack them. Equal
// labels have equal numbers in all Sets.
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
		sorted.Func(all[i], func(a, b metrics.Label) int { return strings.Compare(a.Name, b.Name) })
	}
	return metrics.NewRows(all, nil)
}
