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

// maxLine is the greatest length of a line, in bytes: enough for 250,000 columns.
const maxLine = 16 << 20

// MaxColumns is the greatest number of columns that a [Reader] reads.
const MaxColumns = 250_000

// ReadOptions are the options of a Reader. The zero value suits logs of Windows.
type ReadOptions struct {
	// CodePage is the Windows code page of the text ("Code Page Identifiers" on Microsoft
	// Learn), 65001 for UTF-8, for a file without a byte order mark. 0 detects it from the
	// head: UTF-8 if valid, else the ANSI code page whose letters fit best.
	CodePage uint32
	// Location is the time zone of the time stamps. nil is the bias in the head or, without
	// one, UTC.
	Location *time.Location
	// Select selects the columns to read; nil is all.
	Select func(*winperf.Series) bool
	// Known is the head of an earlier Reader of the same log, whose series are reused; nil
	// is none.
	Known *Head

	maxLine, maxColumns int // other limits, for tests; 0 are the constants
}

// Reader reads a text log, CSV or TSV, of log files or typeperf. Its memory is at most four
// times the longest line and some 400 bytes for each of at most MaxColumns columns,
// whatever the log's length.
//
// It accepts common changes: LF for CR LF, a missing last line end, byte order marks,
// UTF-16, console messages before the head and behind the rows, several runs with a head
// each, fields without quotes, semicolons for commas, doubled quotes. [Reader.Damage]
// reports skipped data: a row with an unreadable time, the rest of a row after an
// unreadable field, a value cut off by the end of the file.
type Reader struct {
	lines    lines
	opt      ReadOptions
	head     *Head
	selected []textColumn      // of the head
	series   []*winperf.Series // of selected
	fields   fieldSplitter
	rows     int // since the head
	last     time.Time
	damage   findings.List
	notation notation // of all numbers so far
	number   []byte   // a number in the notation of Windows
}

// Row is one sample of a log.
type Row struct {
	// Time is the time stamp in UTC.
	Time time.Time
	// Series are the series of the wanted columns. The slice changes only with Head.
	Series []*winperf.Series
	// Values are the values of the wanted columns. A blank field is counter.NoPrevious in
	// the first row below a head, where rates have no value yet, else counter.InvalidData.
	// Numbers without point are integers, others decimals; other fields are text.
	Values valueblock.Values
	// Head is the head of the row; it changes if another run was appended to the log.
	Head *Head
	// Comment is the field behind the last column, written by PdhUpdateLog.
	Comment string
	Line    int64 // line number, from 1
	Offset  int64 // of its first byte
}

// NewReader reads up to the head of a log. The error wraps ErrNoHead if r has none;
// otherwise it is the error of r.
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

	// The byte order mark overrides the option.
	if codePage != 0 {
		opt.CodePage = codePage
	}

	// The head is by far the longest line of most logs. If its length is known, the buffer
	// is made large enough.
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

// Head returns the current head.
func (t *Reader) Head() *Head { return t.head }

// Damage returns the damage found since the last call, each a *winperf.DataError with a
// line. If there is much, the last error counts the rest.
func (t *Reader) Damage() []error { return t.damage.Take() }

// Next reads the next row, using the memory of row.Values. At the end of the log it returns
// io.EOF; other errors are from the underlying reader.
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

// NextHead skips rows up to the next head. At the end of the log it returns io.EOF; other
// errors are from the underlying reader.
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

func (t *Reader) line() ([]byte, error) {
	for {
		line, err := t.lines.next()
		if !errors.Is(err, errLongLine) {
			return line, err
		}
		t.fail(0, "a line of more than %d bytes, skipped", t.opt.maxLine)
	}
}

// firstField is the field number of column 0: field 1 is the time stamp.
const firstField = 2

// fail reports damage in the current line, and in a field of it, from 1; 0 is the whole
// line. For UTF-16, offsets count bytes of the text in UTF-8.
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

// readRow reads a line with a time stamp and values, and reports whether it is a row.
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

// noRow reports a line without a time stamp, except console messages, which typeperf and
// other programs write.
func (t *Reader) noRow(line, stamp []byte) {
	if isEmptyRow(line) {
		return
	}
	if t.head.quoted && isConsoleText(line) {
		t.head.Noise++
		return
	}
	t.fail(0, "%q is no time stamp, expected MM/DD/YYYY HH:MM:SS.mmm; the row is skipped", brief(stamp))
}

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
	v.Grow(len(t.selected))
	n, done := 0, 0 // columns, and wanted ones, read
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
			if t.extraField(row, text, n) {
				v.Reset()
				done = 0
			}
			break
		}

		if done < len(t.selected) && t.selected[done].column == n {
			t.addValue(v, &t.selected[done], text)
			done++
		}
	}

	if n < len(t.head.Columns) && t.fields.last == fieldNone {
		t.fail(0, "%d values, expected %d; the others are missing", n, len(t.head.Columns))
	}
	for ; done < len(t.selected); done++ {
		v.AddBits(counter.KindNone, 0, counter.InvalidData)
	}
}

func (t *Reader) badField(n int, state fieldState) {
	what := "text behind the closing quote"
	if state == fieldOpen {
		what = "the field does not end"
	}
	t.fail(n+firstField, "%s; the rest of the row is skipped", what)
}

// extraField handles field n behind the last column: a comment if it is the last one of its
// row. It reports whether the values of the row are uncertain.
func (t *Reader) extraField(row *Row, text []byte, n int) (uncertain bool) {
	comment := t.head.text(text)
	_, _, kind := parseValue(text)

	// Decimal commas without quotes make two fields of a number.
	if kind == isNumber && t.fields.bare && t.head.separator == ',' && t.head.Caption == "" {
		t.fail(n+firstField, "more fields than the head has, perhaps by decimal commas without quotes; "+
			"the row has no values")
		return true
	}

	// Spreadsheet programs append empty fields.
	for {
		more, state := t.fields.next()
		if state == fieldNone {
			break
		}
		if state != fieldComplete || len(trimBlanks(more)) > 0 {
			t.fail(n+firstField, "more fields than the head has; they are skipped")
			return false
		}
	}

	if kind == isNumber && t.head.Caption != "" && !t.head.unread {
		t.head.unread = true
		t.fail(n+firstField, "the column has numbers, but its head %q is no counter path; the column is skipped",
			brief([]byte(t.head.Caption)))
	}
	row.Comment = comment
	return false
}

func (t *Reader) addValue(v *valueblock.Values, c *textColumn, text []byte) {
	value, bits, kind := parseValue(text)
	switch {
	case kind == isNumber && value == counter.KindFloat && c.notation&certain != pointDecimal:
		value, bits, kind = t.withPoint(c, text, value, bits)
	case kind == isText:
		value, bits, kind = t.localized(c, text)
	}

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
	case isUncertain:
		v.AddBits(counter.KindNone, 0, counter.InvalidData)
		t.fail(c.column+firstField, "%q is one of two numbers, by its decimal separator; it has no value",
			brief(text))
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
