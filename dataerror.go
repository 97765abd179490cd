package winperf

import (
	"fmt"
	"unicode/utf8"
)

// DataError says what is wrong with something that was read, and where. It is the
// one error about bytes and text from elsewhere: whatever reads some makes it.
type DataError struct {
	// Err is the kind of error, which callers test for with errors.Is: a sentinel
	// of this package or of the reader's, or a check of the reader's that wraps
	// one. Nil stands for ErrBadData.
	Err error
	// Msg says what was found and what was expected.
	Msg string
	// Got is what was read and Want what it was compared with where Msg is empty:
	// then Err puts them into words, in a method Describe(got, want int64) string,
	// when the text is asked for and not before.
	Got, Want int64

	// Source is what was read: the name of a file, "Counter 009". It is empty
	// where the reader does not know it, and its caller fills it in.
	Source string
	// Text is what was read where that is short: a counter path.
	Text string
	// Offset and Len are the bytes that this is about, from the start of what was
	// read. An Offset of -1 is the whole, a Len of 0 not known.
	Offset, Len int64
	// Line and Column are the place in text, from 1; 0 is none. Columns are
	// characters, or bytes where the reader says so.
	Line, Column int
	// Part is what it is in, in words, and Number which one: "instance" 7 is at
	// position 7 of the object, "field" 3 the third one of the line. An empty Part
	// means no part.
	Part   string
	Number int
	// Object is the object that it is in, as far as that is known.
	Object ObjectID

	// Warning tells that nothing is lost by it.
	Warning bool
}

// Error returns one line that says where and what. It begins with the source, as
// compilers begin theirs, or else with the kind:
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

// appendPlace appends the place in what was read: behind its name where that is known,
// else behind the kind of error.
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

// appendSource appends the place as compilers write it.
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

// Unwrap returns the kind of error.
func (e *DataError) Unwrap() error {
	if e.Err == nil {
		return ErrBadData
	}
	return e.Err
}
