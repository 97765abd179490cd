// Package safetext escapes external text, such as names of instances or files, so that it
// cannot control a terminal or break a line.
//
// Letters, marks, numbers, punctuation, symbols and spaces are unchanged. All else is
// escaped: control characters (C0, DEL and C1, which begin escape sequences), line and
// paragraph separators, format characters, including characters that reverse text, unassigned
// characters and invalid UTF-8.
//
// Width and Cut measure and shorten such text in columns of a terminal.
package safetext

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/wire"
)

// Line escapes text for a line of a terminal as in a Go string, such as \n, \x1b, \u202e or
// \xff.
func Line(s string) string {
	if shown(s) {
		return s
	}
	return string(AppendLine(nil, s))
}

// AppendLine appends the result of Line.
func AppendLine[T string | []byte](dst []byte, s T) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f { // nearly all
			dst = append(dst, c)
			i++
			continue
		}
		r, size := Rune(s, i)
		dst = appendLine(dst, r, s[i:i+size])
		i += size
	}
	return dst
}

// Rune returns the character at byte i and its size in bytes.
func Rune[T string | []byte](s T, i int) (r rune, size int) {
	if s[i] < utf8.RuneSelf {
		return rune(s[i]), 1
	}
	return utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
}

func shown(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) < 0
}

// appendLine appends a character with its bytes in text, escaped if needed.
func appendLine[T string | []byte](dst []byte, r rune, text T) []byte {
	switch {
	case r == utf8.RuneError && len(text) == 1:
		const digits = "0123456789abcdef"
		return append(dst, '\\', 'x', digits[text[0]>>4], digits[text[0]&15])
	case unicode.IsGraphic(r):
		return append(dst, text...)
	}
	quoted := strconv.AppendQuoteRune(nil, r)
	return append(dst, quoted[1:len(quoted)-1]...)
}

// AppendJSON appends s as a JSON string, with escapes that parse to the same text. Invalid
// UTF-8 becomes \ufffd.
func AppendJSON[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	start := 0 // of the part not yet appended
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' { // nearly all
			i++
			continue
		}
		r, size := Rune(s, i)
		if escape := r == '"' || r == '\\' || mustEscape(r, size); escape {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, r)
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// mustEscape reports whether a character of size bytes must be escaped in JSON.
func mustEscape(r rune, size int) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return r == utf8.RuneError && size == 1 || !unicode.IsGraphic(r)
}

// shortEscapes are the letters of JSON's two-character escapes.
var shortEscapes = [utf8.RuneSelf]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

func appendEscape(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf && shortEscapes[r] != 0 {
		return append(dst, '\\', shortEscapes[r])
	}

	const digits = "0123456789abcdef"
	var buf [4]byte
	for u := wire.AppendRune(buf[:0], r); len(u) > 0; u = u[2:] {
		dst = append(dst, '\\', 'u', digits[u[1]>>4], digits[u[1]&15], digits[u[0]>>4], digits[u[0]&15])
	}
	return dst
}

// Writer escapes all text written through it, except line ends and tabs. Characters may be
// split between calls.
type Writer struct {
	w          io.Writer
	append     func(dst []byte, r rune, text []byte) []byte
	incomplete []byte // of an incomplete character
	buf        []byte
}

// NewTerminal returns a Writer of lines to a terminal, escaped as Line does.
func NewTerminal(w io.Writer) *Writer { return &Writer{w: w, append: appendLine[[]byte]} }

// NewJSON returns a Writer of JSON text, escaped as AppendJSON does.
func NewJSON(w io.Writer) *Writer {
	return &Writer{w: w, append: func(dst []byte, r rune, text []byte) []byte {
		if mustEscape(r, len(text)) {
			return appendEscape(dst, r)
		}
		return append(dst, text...)
	}}
}

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	text := append(w.incomplete, b...)
	w.buf = w.buf[:0]
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		if r == '\n' || r == '\r' || r == '\t' {
			w.buf = append(w.buf, text[0])
		} else {
			w.buf = w.append(w.buf, r, text[:size])
		}
		text = text[size:]
	}

	w.incomplete = append([]byte(nil), text...)
	if _, err := w.w.Write(w.buf); err != nil {
		return 0, err
	}
	return len(b), nil
}
