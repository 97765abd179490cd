package winperf

import (
	"fmt"
	"unicode/utf8"
)

// DataError describes an error in input and its place. Most decoders and parsers return it for
// bytes and text from outside the program.
type DataError struct {
	// Err is the kind of error, for errors.Is: a sentinel error of this package or of the package
	// that read the input, or an error that wraps one. Nil means ErrBadData.
	Err error
	// Msg describes the value found and the expected form.
	Msg string
	// Got is the number found and Want the expected number, if Msg is empty. Error then gets its
	// text from the method Describe(got, want int64) string of Err.
	Got, Want int64

	// Source is the input, such as a file name or "Counter 009". It is empty if the function that
	// read the input does not know it; the caller may then set it.
	Source string
	// Text is the input if it is short, such as a counter path.
	Text string
	// Offset and Len are the affected bytes, from the start of the input. Offset -1 means the whole
	// input. Len 0 means an unknown length.
	Offset, Len int64
	// Line and Column are the place in text, counted from 1; 0 means none. Columns count
	// characters, or bytes if the documentation of the parser says so.
	Line, Column int
	// Part and Number name the affected part: "instance" 7 is at position 7 of the object, "field"
	// 3 is the third field of the line. An empty Part means no part.
	Part   string
	Number int
	// Object is the affected object, if known.
	Object ObjectID

	// Warning is true if no data was lost.
	Warning bool
}

// Error returns one line with the place and the fault. It begins with the source and the place in
// the form of compilers (file:line:column), or with the kind of error if the source is unknown:
//
//	names.tsv:3:7: found the end of the line, expected a TAB between index and text; skipped the line
//	app.winperf: byte 60: 2021161080 bytes at 120, want at most 64
//	truncated at byte 12345: object 230: instance 7: counter block of 300 bytes, want 4 to 120
//	bad data in line 12 (offset 3456), field 3: the field does not end
//	bad counter path "Memory", character 1: a path begins with a backslash
func (e *DataError) Error() string {
	b := e.appendPlace(nil)
	if !e.Object.GUID.IsZero() {
		b = fmt.Appendf(b, ": counter set %v", e.Object.GUID)
	} else if e.Object.Index != 0 {
		b = fmt.Appendf(b, ": object %d", e.Object.Index)
	}

	sep := ": "
	if e.Line > 0 {
		sep = ", "
	}
	if e.Part != "" {
		b = fmt.Appendf(b, "%s%s %d", sep, e.Part, e.Number)
	}

	text := e.Msg
	if kind, ok := e.Err.(interface{ Describe(got, want int64) string }); ok && text == "" {
		text = kind.Describe(e.Got, e.Want)
	}
	return string(fmt.Appendf(b, ": %s", text))
}

// appendPlace appends the source, or else the kind of error, and the place.
func (e *DataError) appendPlace(b []byte) []byte {
	if e.Source != "" {
		return e.appendSource(b)
	}

	b = fmt.Append(b, e.Unwrap())
	switch {
	case e.Text != "":
		before := e.Text[:min(max(e.Offset, 0), int64(len(e.Text)))]
		return fmt.Appendf(b, " \"%s\", character %d", printable(e.Text), utf8.RuneCountInString(before)+1)
	case e.Line > 0 && e.Column > 0:
		return fmt.Appendf(b, " in line %d, column %d", e.Line, e.Column)
	case e.Line > 0 && e.Offset >= 0:
		return fmt.Appendf(b, " in line %d (offset %d)", e.Line, e.Offset)
	case e.Line > 0:
		return fmt.Appendf(b, " in line %d", e.Line)
	case e.Offset >= 0:
		return fmt.Appendf(b, " at byte %d", e.Offset)
	}
	return b
}

// appendSource appends the source and the place in the form that compilers use.
func (e *DataError) appendSource(b []byte) []byte {
	b = append(b, e.Source...)
	switch {
	case e.Line > 0 && e.Column > 0:
		return fmt.Appendf(b, ":%d:%d", e.Line, e.Column)
	case e.Line > 0:
		return fmt.Appendf(b, ":%d", e.Line)
	case e.Offset >= 0:
		return fmt.Appendf(b, ": byte %d", e.Offset)
	}
	return b
}

// Unwrap returns Err, or ErrBadData if it is nil.
func (e *DataError) Unwrap() error {
	if e.Err == nil {
		return ErrBadData
	}
	return e.Err
}
