package pdhtext

import "bytes"

// fieldState is the way in which a field ended.
type fieldState uint8

const (
	fieldComplete fieldState = iota
	fieldNone                // no further field
	fieldOpen                // no closing quote
	fieldJunk                // other text than a separator behind the closing quote
)

// fieldSplitter splits a line into fields, with or without quotes. Quotes inside quotes are
// doubled.
type fieldSplitter struct {
	rest      []byte
	more      bool // a field follows, perhaps an empty one
	separator byte
	last      fieldState // the last result of next
	bare      bool       // the last field had no quotes
	scratch   []byte     // of a field with doubled quotes
}

func (f *fieldSplitter) begin(line []byte, separator byte) {
	f.rest, f.more, f.separator = line, true, separator
}

// next returns the text of the next field without its quotes, valid until the next call. An
// incomplete field is the last one.
func (f *fieldSplitter) next() ([]byte, fieldState) {
	if rest := f.rest; f.more && len(rest) > 0 && rest[0] == '"' { // nearly all are quoted
		end := bytes.IndexByte(rest[1:], '"') + 1
		if end > 0 && end+1 < len(rest) && rest[end+1] == f.separator {
			f.rest, f.bare, f.last = rest[end+2:], false, fieldComplete
			return rest[1:end], fieldComplete
		}
	}

	text, state := f.take()
	f.last = state
	if state != fieldComplete {
		f.more = false
	}
	return text, state
}

func (f *fieldSplitter) take() ([]byte, fieldState) {
	f.bare = false
	if !f.more {
		return nil, fieldNone
	}

	if len(f.rest) > 0 && f.rest[0] == '"' {
		end := bytes.IndexByte(f.rest[1:], '"') + 1
		if end == 0 {
			return f.rest[1:], fieldOpen
		}
		text := f.rest[1:end]
		if f.close(end + 1) {
			return text, fieldComplete
		}
	}
	return f.takeOdd()
}

// close ends a field whose closing quote is before end, and reports whether a separator or
// nothing follows.
func (f *fieldSplitter) close(end int) bool {
	switch {
	case end == len(f.rest):
		f.rest, f.more = nil, false
	case f.rest[end] == f.separator:
		f.rest = f.rest[end+1:]
	default:
		return false
	}
	return true
}

// takeOdd reads fields that Windows does not write: without quotes, with doubled quotes, or
// with blanks around them.
func (f *fieldSplitter) takeOdd() ([]byte, fieldState) {
	for len(f.rest) > 0 && f.rest[0] == ' ' {
		f.rest = f.rest[1:]
	}
	if len(f.rest) == 0 || f.rest[0] != '"' {
		return f.takeBare()
	}

	f.scratch = f.scratch[:0]
	at := 1
	for {
		n := bytes.IndexByte(f.rest[at:], '"')
		if n < 0 {
			return f.rest[1:], fieldOpen
		}
		f.scratch = append(f.scratch, f.rest[at:at+n]...)
		at += n + 1
		if at == len(f.rest) || f.rest[at] != '"' {
			break
		}
		f.scratch = append(f.scratch, '"')
		at++
	}

	for at < len(f.rest) && f.rest[at] == ' ' && f.separator != ' ' {
		at++
	}
	if !f.close(at) {
		return f.rest[1:], fieldJunk
	}
	return f.scratch, fieldComplete
}

// takeBare reads a field without quotes.
func (f *fieldSplitter) takeBare() ([]byte, fieldState) {
	f.bare = true
	end := bytes.IndexByte(f.rest, f.separator)
	if end < 0 {
		end = len(f.rest)
	}
	text := f.rest[:end]
	if bytes.IndexByte(text, '"') >= 0 {
		return text, fieldJunk
	}
	f.close(end)
	return trimBlanks(text), fieldComplete
}

// trimBlanks removes blanks and tabs around text.
func trimBlanks(b []byte) []byte { return bytes.Trim(b, " \t") }

// isEmptyRow reports whether a line is a row without any text, which spreadsheet programs write, or
// the mark Ctrl-Z at the end of a file.
func isEmptyRow(line []byte) bool {
	quotes := bytes.Count(line, []byte{'"'})
	return quotes%2 == 0 && len(bytes.Trim(line, ",; \t\"\x1a")) == 0
}

// maxConsoleText is the greatest length of a program's message.
const maxConsoleText = 1024

// isConsoleText reports whether a line is a program's message: printable characters without
// quotes.
func isConsoleText(line []byte) bool {
	if len(line) > maxConsoleText {
		return false
	}
	for _, c := range line {
		if c == '"' || c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
