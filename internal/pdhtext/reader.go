package pdhtext

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/findings"
	"github.com/winperf/winperf/internal/valueblock"
	"github.com/winperf/winperf/internal/wire"
)

// maxLine is the length in bytes above which a [Reader] does not read a line: room for
// 250,000 columns.
const maxLine = 16 << 20

// MaxColumns is how many columns of a head a [Reader] reads.
const MaxColumns = 250_000

// ReadOptions say how a text log is to be read. The zero value suits what
// Windows writes.
type ReadOptions struct {
	// CodePage is the Windows code page of the text ("Code Page Identifiers" on
	// Microsoft Learn), 65001 for UTF-8, for a file without a byte order mark. 0
	// finds it out from the head: UTF-8 where it is that, else the ANSI code page
	// whose letters it seems to be written in.
	CodePage uint32
	// Location is the time zone of the time stamps. nil is the bias in the head;
	// where there is none, UTC.
	Location *time.Location
	// Want chooses the columns to be read; nil is all.
	Want func(*winperf.Series) bool
	// Known is the head of an earlier Reader of the same log, whose series are
	// used again; nil is none.
	Known *Head

	maxLine, maxColumns int // other bounds, for tests; 0 are the constants
}

// Reader reads a text log, CSV or TSV, of the log's form and typeperf's, in
// memory of a few lines whatever the log's length: besides at most four times the
// longest line, some 400 bytes for each column, of which there are MaxColumns at
// most.
//
// It bears what happens to such files: LF for CR LF, a missing last line end,
// byte order marks, UTF-16, text of a console before the head and behind the
// rows, several runs one after the other, each with its head, fields without
// quotes, semicolons for commas, doubled quotes. What is damaged is left out
// and told by [Reader.Damage]: a row whose time cannot be read, the rest of a
// row whose fields cannot be told apart, a value in the middle of which the
// file ends.
type Reader struct {
	lines  lines
	opt    ReadOptions
	head   *Head
	wanted []textColumn      // of the head
	series []*winperf.Series // of wanted
	fields fieldSplitter
	rows   int // since the head
	last   time.Time
	damage findings.List
}

// Row is one moment of a log.
type Row struct {
	// Time is the time stamp as an instant, UTC.
	Time time.Time
	// Series are the series of the wanted columns. They are the same slice as long as Head is.
	Series []*winperf.Series
	// Values are the values of the wanted columns, in their order. A blank field is
	// counter.NoPrevious in the first row below a head, where rates have no value
	// yet, else counter.InvalidData. Numbers without point are integers, others
	// decimals; what is no number is text.
	Values valueblock.Values
	// Head is the head that the row stands below; it changes where another run
	// was appended to the log.
	Head *Head
	// Comment is the field behind the last column that PdhUpdateLog writes.
	Comment string
	Line    int64 // its number, from 1
	Offset  int64 // of its first byte
}

// NewReader reads up to the head of a log. The error wraps ErrNoHead where there
// is none; otherwise it is that of r.
func NewReader(r io.Reader, opt ReadOptions) (*Reader, error) {
	if opt.maxLine <= 0 {
		opt.maxLine = maxLine
	}
	if opt.maxColumns <= 0 {
		opt.maxColumns = MaxColumns
	}

	text, codePage, err := wire.NewReader(r)
	if err != nil {
		return nil, err
	}

	// What the first bytes of the file say counts more than the option.
	if codePage != 0 {
		opt.CodePage = codePage
	}

	// The head is by far the longest line of most logs. Where its length is known, the lines get
	// a buffer that holds it and need not grow.
	headLength := 0
	if opt.Known != nil {
		headLength = min(opt.Known.length, opt.maxLine) + len("\r\n")
	}

	t := &Reader{opt: opt, lines: newLines(text, opt.maxLine, headLength)}
	if err := t.findHead(); err != nil {
		return nil, err
	}
	return t, nil
}

// Head returns the head that was read last.
func (t *Reader) Head() *Head { return t.head }

// Damage returns what was found wrong since the last call, each a
// *winperf.DataError with a line. Of much damage between two calls the last error
// counts what is left out.
func (t *Reader) Damage() []error { return t.damage.Take() }

// Next reads the next row, using the memory of row.Values. At the end of the
// log it returns io.EOF, another error is that of the underlying reader.
func (t *Reader) Next(row *Row) error {
	for {
		line, err := t.line()
		if err != nil {
			return err
		}
		switch {
		case t.isHead(line):
			t.setHead(line)
		case len(trimBlanks(line)) == 0:
		case t.readRow(line, row):
			return nil
		}
	}
}

// NextHead passes over rows to the next head. At the end of the log it returns
// io.EOF, another error is that of the underlying reader.
func (t *Reader) NextHead() error {
	for {
		line, err := t.line()
		if err != nil {
			return err
		}
		if t.isHead(line) {
			t.setHead(line)
			return nil
		}
	}
}

// line returns the next line that is not too long.
func (t *Reader) line() ([]byte, error) {
	for {
		line, err := t.lines.next()
		if !errors.Is(err, errLongLine) {
			return line, err
		}
		t.fail(0, "a line of more than %d bytes, left out", t.opt.maxLine)
	}
}

// firstField is the field of a row that holds the value of column 0: field 1 is the time stamp.
const firstField = 2

// fail notes damage in the current line, and in a field of it, from 1; 0 is the line as a
// whole. Offsets in UTF-16 are those of the text as UTF-8.
func (t *Reader) fail(field int, format string, args ...any) {
	t.damage.Add(func() error {
		err := &winperf.DataError{Line: int(t.lines.number), Offset: t.lines.start}
		err.Msg = fmt.Sprintf(format, args...)
		if field > 0 {
			err.Part, err.Number = "field", field
		}
		return err
	})
}

// readRow reads a line with a time stamp and values, and reports whether it is
// one.
func (t *Reader) readRow(line []byte, row *Row) bool {
	t.fields.begin(line, t.head.separator)
	stamp, state := t.fields.next()
	at, ok := parseStamp(stamp, t.head.location)
	if !ok || state != fieldComplete || t.cutOff() {
		t.noRow(line, stamp)
		return false
	}

	row.Time, row.Head, row.Comment = t.instant(at), t.head, ""
	row.Line, row.Offset = t.lines.number, t.lines.start
	t.readValues(row)
	t.rows++
	return true
}

// noRow tells of a line without a time stamp. Programs that share the console
// with typeperf, and typeperf itself at its end, write lines of plain text,
// which are no damage.
func (t *Reader) noRow(line, stamp []byte) {
	if t.head.quoted && isConsoleText(line) {
		t.head.Noise++
		return
	}
	t.fail(0, "%q is no time stamp, expected MM/DD/YYYY HH:MM:SS.mmm; the row is left out", brief(stamp))
}

// instant returns which instant a time stamp means, and notes one that goes back.
func (t *Reader) instant(now time.Time) time.Time {
	if !t.head.fixed {
		now = notBefore(now, t.last, t.head.location)
	}
	if t.rows > 0 && now.Before(t.last) {
		t.fail(0, "the time goes back by %v", t.last.Sub(now))
	}
	t.last = now
	return now
}

// readValues reads the fields behind the time stamp.
func (t *Reader) readValues(row *Row) {
	row.Series = t.series
	v := &row.Values
	v.Reset()
	v.Grow(len(t.wanted))
	n, done := 0, 0 // columns, and wanted ones, that were read
	for ; ; n++ {
		if t.head.cut && n == len(t.head.Columns) {
			break
		}
		text, state := t.fields.next()
		if state == fieldNone {
			break
		}

		if state == fieldComplete && t.cutOff() && (t.head.quoted || n < len(t.head.Columns)-1) {
			state = fieldOpen
		}
		if state != fieldComplete {
			t.badField(n, state)
			break
		}

		if n >= len(t.head.Columns) {
			t.extraField(row, text, n)
			break
		}

		if done < len(t.wanted) && t.wanted[done].column == n {
			t.addValue(v, &t.wanted[done], text)
			done++
		}
	}

	if n < len(t.head.Columns) && t.fields.last == fieldNone {
		t.fail(0, "%d values, expected %d; the others are missing", n, len(t.head.Columns))
	}
	for ; done < len(t.wanted); done++ {
		v.AddBits(counter.KindNone, 0, counter.InvalidData)
	}
}

// badField notes that the field of column n cannot be told from the next ones.
func (t *Reader) badField(n int, state fieldState) {
	what := "text behind the closing quote"
	if state == fieldOpen {
		what = "the field does not end"
	}
	t.fail(n+firstField, "%s; the rest of the row is left out", what)
}

// extraField takes the field n, counted as columns are, behind the last column: a comment
// if it is the last one of its row.
func (t *Reader) extraField(row *Row, text []byte, n int) {
	if _, state := t.fields.next(); state != fieldNone {
		t.fail(n+firstField, "more fields than the head has; they are left out")
		return
	}
	row.Comment = t.head.text(text)
}

// addValue adds the value of a field.
func (t *Reader) addValue(v *valueblock.Values, c *textColumn, text []byte) {
	value, bits, kind := parseValue(text, t.head.separator == ';')
	switch kind {
	case isNumber:
		c.numbers = true
		v.AddBits(value, bits, counter.OK)
	case isBlank:
		status := counter.InvalidData
		if t.rows == 0 {
			status = counter.NoPrevious
		}
		v.AddBits(counter.KindNone, 0, status)

	case isNoNumber:
		v.AddBits(counter.KindNone, 0, counter.InvalidData)
	case isTooLarge:
		v.AddBits(counter.KindNone, 0, counter.InvalidData)
		t.fail(c.column+firstField, "%q is too large for a number", brief(text))
	default:
		v.Add(counter.Text(t.head.text(text)), counter.OK)
		if c.numbers {
			t.fail(c.column+firstField, "%q is no number", brief(text))
		}
	}
}
