package pdhtext

import (
	"fmt"
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
	// Console is Typeperf's with the time zone in the head, as Log has it.
	Console
)

// Options choose the form of a log. The zero value is a CSV file in local time.
type Options struct {
	Format  Format
	Dialect Dialect
	// Location is the time zone of the time stamps; nil is time.Local.
	Location *time.Location
	// Zone is the time zone's name in the head of a dialect that has it. Windows
	// writes the display name ("Eastern Daylight Time"); when it is empty the
	// abbreviation that Location has at the first row is taken ("EDT").
	Zone string
	// NoZone leaves time zone and bias out of the head, for times of which only
	// what stood on the wall is known.
	NoZone bool
	// Columns are the paths that get a column, as Path.String writes them; nil are
	// those of the first moment that has readings.
	Columns []string
	// ByName makes each of Columns belong to a name: it has the values of all instances that
	// have the name, one after the other. In the first row of another instance counters that
	// need two samples have no value. Otherwise a column belongs to one instance.
	ByName bool
}

// separators and marks are what tells the formats apart.
var (
	separators = [...]byte{CSV: ',', TSV: '\t'}
	marks      = [...]string{CSV: "(PDH-CSV 4.0)", TSV: "(PDH-TSV 4.0)"}
)

// Writer writes a text log.
//
// The first moment that has readings fixes the columns, one for each distinct
// path in the order of the readings, unless Options.Columns names them. Series
// that appear later have no column; [Writer.Late] counts them. A series that is
// missing from a moment leaves its field blank, and one that comes back under the
// same path fills its column again; but where the series tells which instance it is of
// (Series.Key), a column is that instance's for ever: another one of the same name counts
// as later, unless Options.ByName is set. A path that named nothing at first, as
// its status says, gets its column filled by what it names later, whatever the case of its
// letters and with or without machine.
//
// The text is UTF-8 without a byte order mark (Windows writes the machine's
// ANSI code page). Control characters in names and texts become blanks, so that
// a row stays one line. Each row reaches the underlying writer in one call, the
// first one with the end of the head; a head that is larger than 64 KiB goes
// ahead in pieces of about that size.
type Writer struct {
	w       io.Writer
	opt     Options
	columns *columns // nil before the first row
	buf     []byte
	err     error // the first error of writing, which stays
	closed  bool
}

// pieceSize is the number of bytes from which a head is handed on in pieces, and
// as large as a row's buffer is before the row's size can be told.
const pieceSize = 64 << 10

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer, opt Options) *Writer {
	if opt.Location == nil {
		opt.Location = time.Local
	}
	return &Writer{w: w, opt: opt}
}

// Write writes the values of one moment as one row, before the first one the
// head. Before the columns are fixed a moment without values writes nothing.
//
// A value that is not ok, and a decimal that is infinite or not a number, is a
// blank field. The error is that of the underlying writer and stays; after
// Close it wraps winperf.ErrState.
func (w *Writer) Write(t time.Time, values []winperf.Column) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return fmt.Errorf("%w: write to a closed log", winperf.ErrState)
	case w.columns == nil && !hasValues(values):
		return nil
	}

	t = t.In(w.opt.Location)
	if w.columns != nil {
		w.columns.place(values)
	} else {
		w.columns = newColumns(w.opt.Columns, w.opt.ByName, values)
		w.opt.Columns = nil
		if err := w.appendHead(t); err != nil {
			return err
		}
	}
	w.appendRow(t)
	return w.flush()
}

// hasValues reports whether a column has one.
func hasValues(columns []winperf.Column) bool {
	return slices.ContainsFunc(columns, func(c winperf.Column) bool { return c.Len() > 0 })
}

// flush hands on what the buffer holds.
func (w *Writer) flush() error {
	written, err := w.w.Write(w.buf)
	if err == nil && written < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.buf, w.err = w.buf[:0], err
	return err
}

// Late returns the number of distinct series that were written without a
// column, because they appeared after the head.
func (w *Writer) Late() int {
	if w.columns == nil {
		return 0
	}
	return len(w.columns.late)
}

// LateNames returns the paths of the first three series that Late counts.
func (w *Writer) LateNames() []string {
	if w.columns == nil {
		return nil
	}
	return w.columns.missing
}

// Close ends the log. It does not close the underlying writer. The error is
// that of the Write that failed, if one did.
func (w *Writer) Close() error {
	w.closed = true
	return w.err
}

// appendHead appends the first line, and hands on all but its last piece.
func (w *Writer) appendHead(t time.Time) error {
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, marks[w.opt.Format]...)
	if w.opt.Dialect != Typeperf && !w.opt.NoZone {
		w.appendZone(t)
	}
	w.buf = append(w.buf, '"')

	for i := range w.columns.len() {
		w.buf = append(w.buf, separators[w.opt.Format])
		w.buf = appendField(w.buf, w.columns.paths.At(i))
		if len(w.buf) < pieceSize {
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, "\r\n"...)
	return nil
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

// appendRow appends the line of one moment.
func (w *Writer) appendRow(t time.Time) {
	w.buf = append(w.buf, '"')
	w.buf = t.AppendFormat(w.buf, "01/02/2006 15:04:05.000")
	w.buf = append(w.buf, '"')

	begin := len(w.buf)
	c := w.columns
	for column, kind := range c.kinds {
		if cap(w.buf)-len(w.buf) < usualValue {
			w.makeRoom(column, len(w.buf)-begin)
		}
		w.buf = append(w.buf, separators[w.opt.Format])
		if kind == counter.KindText {
			w.buf = appendField(w.buf, c.texts[int32(column)])
			continue
		}
		w.buf = appendNumber(w.buf, kind, c.bits[column], w.opt.Dialect)
	}
	w.buf = append(w.buf, "\r\n"...)
}

// makeRoom makes the buffer as large as all columns will hardly exceed, which the
// size of the first ones tells: a buffer that grows with very many columns would
// leave several times its size behind.
func (w *Writer) makeRoom(columns, size int) {
	left := len(w.columns.kinds) - columns
	if size < pieceSize/2 { // too few to tell
		w.buf = slices.Grow(w.buf, min(left*usualValue, pieceSize))
		return
	}
	w.buf = slices.Grow(w.buf, left*(size/columns+1)+usualValue)
}

// usualValue is the number of bytes that hardly a value exceeds.
const usualValue = len(`,"1234567890.123456"`)
