package pdhlog

import (
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Format is a kind of log.
type Format uint8

// The formats.
const (
	CSV Format = iota // PDH-CSV 4.0, fields separated by commas
	TSV               // PDH-TSV 4.0, fields separated by tabs
)

// Dialect says who would have written the log.
type Dialect uint8

// The dialects.
const (
	// Log is the form of log files: time zone and bias in the head, numbers
	// with all the digits it takes to read them back unchanged.
	Log Dialect = iota
	// Typeperf is the form of typeperf on the console: no time zone, six
	// decimals.
	Typeperf
)

// Options choose the form of a log. The zero value is a CSV file in local time.
type Options struct {
	Format  Format
	Dialect Dialect
	// Location is the time zone of the time stamps; nil is time.Local.
	Location *time.Location
	// Zone is the time zone's name in the head of the Log dialect. Windows
	// writes the display name ("Eastern Daylight Time"); when it is empty the
	// abbreviation that Location has at the first row is taken ("EDT").
	Zone string
	// NoZone leaves time zone and bias out of the head, for times of which only
	// what stood on the wall is known.
	NoZone bool
	// Columns are the series that get a column; nil are those of the first moment
	// that has readings.
	Columns []*winperf.Series
}

// separators and marks are what tells the formats apart.
var (
	separators = [...]byte{CSV: ',', TSV: '\t'}
	marks      = [...]string{CSV: "(PDH-CSV 4.0)", TSV: "(PDH-TSV 4.0)"}
)

// noColumn stands for the column of a series that has none.
const noColumn = -1

// Writer writes a text log.
//
// The first moment that has readings fixes the columns, one for each distinct
// path in the order of the readings, unless Options.Columns names them. Series that appear later have no column;
// [Writer.Late] counts them. A series that is missing from a moment leaves its
// field blank, and one that comes back under the same path fills its column
// again. A path that named nothing at first, as its status says, gets its
// column filled by what it names later, whatever the case of its letters and
// with or without machine.
//
// The text is UTF-8 without a byte order mark (Windows writes the machine's
// ANSI code page). Control characters in names and texts become blanks, so that
// a row stays one line. Each moment reaches the underlying writer in one call.
type Writer struct {
	w       io.Writer
	opt     Options
	columns map[string]int // path to column
	waiting []waiting
	placed  []placed // by position in the readings of the last moment
	row     []int    // by column: 1 + position of its reading, 0 = none
	late    map[uint64]struct{}
	seed    maphash.Seed // of the hashes in late
	buf     []byte
	err     error // the first error of writing, which stays
	closed  bool
}

// waiting is a column whose path named nothing when the log began.
type waiting struct {
	path   winperf.Path
	column int
}

// placed remembers which column the series at a position went to. Readings
// seldom change their order, so that a pointer comparison replaces the search
// for the path.
type placed struct {
	series *winperf.Series
	column int
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer, opt Options) *Writer {
	if opt.Location == nil {
		opt.Location = time.Local
	}
	return &Writer{
		w:    w,
		opt:  opt,
		late: make(map[uint64]struct{}),
		seed: maphash.MakeSeed(),
	}
}

// Write writes the readings of one moment as one row, before the first one the
// head. Before the columns are fixed a moment without readings writes nothing.
//
// A value that is not ok, and a decimal that is infinite or not a number, is a
// blank field. The error is that of the underlying writer and stays; after
// Close it wraps winperf.ErrState.
func (w *Writer) Write(t time.Time, readings []winperf.Reading) error {
	return w.WriteEach(t, len(readings), func(i int) *winperf.Reading { return &readings[i] })
}

// WriteEach is Write for n readings that need not be there all at once: at returns
// the one at a position, valid until it is called again.
func (w *Writer) WriteEach(t time.Time, n int, at func(i int) *winperf.Reading) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return fmt.Errorf("%w: write to a closed log", winperf.ErrState)
	case w.columns == nil && n == 0:
		return nil
	}
	w.buf = w.buf[:0]
	t = t.In(w.opt.Location)
	if w.columns == nil {
		w.appendHead(t, n, at)
	}
	w.place(n, at)
	w.appendRow(t, at)
	written, err := w.w.Write(w.buf)
	if err == nil && written < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.err = err
	return err
}

// Late returns the number of distinct series that were written without a
// column, because they appeared after the head.
func (w *Writer) Late() int { return len(w.late) }

// Close ends the log. It does not close the underlying writer. The error is
// that of the Write that failed, if one did.
func (w *Writer) Close() error {
	w.closed = true
	return w.err
}

// appendHead fixes the columns and appends the first line.
func (w *Writer) appendHead(t time.Time, n int, at func(i int) *winperf.Reading) {
	w.columns = make(map[string]int, n)
	w.makeRoom(n, at)
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, marks[w.opt.Format]...)
	if w.opt.Dialect == Log && !w.opt.NoZone {
		w.appendZone(t)
	}
	w.buf = append(w.buf, '"')
	for _, s := range w.opt.Columns {
		w.appendColumn(s)
	}
	for i := range n {
		if w.opt.Columns != nil {
			break
		}
		r := at(i)
		if w.appendColumn(r.Series) && namesNothing(r) {
			w.waiting = append(w.waiting, waiting{r.Path, len(w.columns) - 1})
		}
	}
	w.buf = append(w.buf, "\r\n"...)
	w.row = make([]int, len(w.columns))
}

// makeRoom makes the buffer as large as the first two lines will hardly be: one that
// grows with a head of very many columns would leave several times its size behind.
func (w *Writer) makeRoom(n int, at func(i int) *winperf.Reading) {
	const value = len(`,"1234567890.123456"`)
	room := n * value
	for i := range n {
		room += len(at(i).Series.String()) + len(`,""`)
	}
	w.buf = slices.Grow(w.buf, room)
}

// appendColumn adds a column to the head, unless there is one of that path.
func (w *Writer) appendColumn(s *winperf.Series) bool {
	path := s.String()
	if _, found := w.columns[path]; found {
		return false
	}
	w.columns[path] = len(w.columns)
	w.buf = append(w.buf, separators[w.opt.Format])
	w.buf = appendField(w.buf, path)
	return true
}

// appendZone appends the time zone's name and its bias at t, in minutes, UTC
// minus local.
func (w *Writer) appendZone(t time.Time) {
	name, offset := t.Zone()
	if w.opt.Zone != "" {
		name = w.opt.Zone
	}
	w.buf = append(w.buf, " ("...)
	w.buf = appendText(w.buf, name)
	w.buf = fmt.Appendf(w.buf, ")(%d)", -offset/60)
}

// place notes in row which reading goes to which column.
func (w *Writer) place(n int, at func(i int) *winperf.Reading) {
	clear(w.row)
	if more := n - len(w.placed); more > 0 {
		w.placed = append(w.placed, make([]placed, more)...)
	}
	for i := range n {
		r, to := at(i), &w.placed[i]
		if to.series != r.Series {
			*to = placed{r.Series, w.column(r)}
		}
		if to.column != noColumn {
			w.row[to.column] = i + 1
		}
	}
}

// column returns the column of a reading. Series that have none are counted by
// a hash of their path: a long log sees many, and their paths need not be kept.
func (w *Writer) column(r *winperf.Reading) int {
	path := r.String()
	if column, found := w.columns[path]; found {
		return column
	}
	if namesNothing(r) {
		return noColumn // says that a series went, not that one came
	}
	for _, c := range w.waiting {
		if c.is(r.Path) {
			w.columns[path] = c.column
			return c.column
		}
	}
	w.late[maphash.String(w.seed, path)] = struct{}{}
	return noColumn
}

// namesNothing tells whether the reading stands for a path that named nothing.
func namesNothing(r *winperf.Reading) bool {
	switch r.Status {
	case counter.NoInstance, counter.NoCounter, counter.NoObject:
		return true
	}
	return false
}

// is tells whether p is what the column waits for.
func (c *waiting) is(p winperf.Path) bool {
	if c.path.Machine == "" {
		p.Machine = ""
	}
	return c.path.EqualFold(p)
}

// appendRow appends the line of one moment.
func (w *Writer) appendRow(t time.Time, at func(i int) *winperf.Reading) {
	w.buf = append(w.buf, '"')
	w.buf = t.AppendFormat(w.buf, "01/02/2006 15:04:05.000")
	w.buf = append(w.buf, '"')
	for _, n := range w.row {
		w.buf = append(w.buf, separators[w.opt.Format])
		if n == 0 {
			w.buf = append(w.buf, noValue...)
			continue
		}
		w.buf = appendValue(w.buf, at(n-1), w.opt.Dialect)
	}
	w.buf = append(w.buf, "\r\n"...)
}
