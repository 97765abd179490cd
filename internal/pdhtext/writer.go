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

// Dialect is the program whose form a log has.
type Dialect uint8

const (
	// Log is the form of log files: time zone and bias in the head, exact numbers.
	Log Dialect = iota
	// Typeperf is the form of typeperf on the console: no time zone, six decimals.
	Typeperf
	// Console is Typeperf with the time zone in the head.
	Console
)

// Options choose the form of a log. The zero value is a CSV file in local time.
type Options struct {
	Format  Format
	Dialect Dialect
	// Location is the time zone of the time stamps; nil is time.Local.
	Location *time.Location
	// Zone is the time zone's name in the head. Windows writes the display name ("Eastern
	// Daylight Time"); if empty, the abbreviation of Location at the first row is used
	// ("EDT").
	Zone string
	// NoZone omits time zone and bias from the head, for local times of an unknown zone.
	NoZone bool
	// Columns are the paths with a column, in the form of Path.String; nil are the paths of
	// the first sample with readings.
	Columns []string
	// ByName assigns each column to a name: it has the values of all instances of that name
	// in turn. In the first row of another instance, counters that need two samples have no
	// value. Otherwise a column belongs to one instance.
	ByName bool
}

var (
	separators = [...]byte{CSV: ',', TSV: '\t'}
	marks      = [...]string{CSV: "(PDH-CSV 4.0)", TSV: "(PDH-TSV 4.0)"}
)

// Writer writes a text log.
//
// The first sample with readings determines the columns, one for each distinct path in
// order, unless Options.Columns names them. Later series have no column; [Writer.Late]
// counts them. A missing series leaves its field blank and fills its column again when it
// is back. If series identify their instance (Series.Key), a column belongs to one instance
// permanently: another one of the same name counts as late, unless Options.ByName is set.
// The column of a path without an instance at first is filled by its later instance; letter
// case and machine may differ.
//
// The text is UTF-8 without a byte order mark (Windows writes the machine's ANSI code
// page). Control characters become blanks, so that a row is one line. Each row reaches the
// underlying writer in one call, the first one with the end of the head; a head above 64
// KiB is written in parts.
type Writer struct {
	w       io.Writer
	opt     Options
	columns *columns // nil before the first row
	buf     []byte
	err     error // the first error of writing
	closed  bool
}

// chunkSize is the number of buffered bytes at which a part of the head is written, and the
// first size of a row's buffer.
const chunkSize = 64 << 10

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer, opt Options) *Writer {
	if opt.Location == nil {
		opt.Location = time.Local
	}
	return &Writer{w: w, opt: opt}
}

// Write writes a sample as one row, before the first one the head. Before the columns are
// determined, a sample without values writes nothing.
//
// A value that is not ok, and a decimal that is infinite or not a number, is a blank field.
// After an error of the underlying writer, all calls return it; after Close it wraps
// winperf.ErrState.
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

func hasValues(columns []winperf.Column) bool {
	return slices.ContainsFunc(columns, func(c winperf.Column) bool { return c.Len() > 0 })
}

// flush writes the buffer.
func (w *Writer) flush() error {
	written, err := w.w.Write(w.buf)
	if err == nil && written < len(w.buf) {
		err = io.ErrShortWrite
	}
	w.buf, w.err = w.buf[:0], err
	return err
}

// Late returns the number of distinct series without a column, because they appeared after
// the head.
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

// Close ends the log. It does not close the underlying writer. It returns the error of the
// Write that failed, if any.
func (w *Writer) Close() error {
	w.closed = true
	return w.err
}

// appendHead appends the first line and writes all but its last part.
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
		if len(w.buf) < chunkSize {
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

func (w *Writer) appendRow(t time.Time) {
	w.buf = append(w.buf, '"')
	w.buf = t.AppendFormat(w.buf, "01/02/2006 15:04:05.000")
	w.buf = append(w.buf, '"')

	begin := len(w.buf)
	c := w.columns
	for column, kind := range c.kinds {
		if cap(w.buf)-len(w.buf) < usualValue {
			w.grow(column, len(w.buf)-begin)
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

// grow grows the buffer to the expected size of all columns, estimated from the first
// ones: repeated growth would waste several times its size.
func (w *Writer) grow(columns, size int) {
	left := len(w.columns.kinds) - columns
	if size < chunkSize/2 { // too few for an estimate
		w.buf = slices.Grow(w.buf, min(left*usualValue, chunkSize))
		return
	}
	w.buf = slices.Grow(w.buf, left*(size/columns+1)+usualValue)
}

// usualValue is the number of bytes that few values exceed.
const usualValue = len(`,"1234567890.123456"`)
