package registration

import (
	"bytes"
	"encoding/binary"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decodeText turns a file's bytes into UTF-8. Windows reads UTF-16 by its byte
// order mark and everything else in its ANSI code page; bytes that are no UTF-8
// are taken for code page 1252.
func decodeText(r *report, data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		r.fault(Position{1, 1}, "text is UTF-16 with the high byte first: want UTF-16LE with a byte order mark")
		return ""
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(r, data[2:])
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		r.warn(Position{1, 1}, "UTF-8 byte order mark: lodctr reads UTF-16LE with one, or the ANSI code page")
		return string(data[3:])
	case utf8.Valid(data):
		return string(data)
	}
	text, _ := charmap.Windows1252.NewDecoder().Bytes(data) // every byte is a character
	return string(text)
}

func decodeUTF16(r *report, data []byte) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	text := string(utf16.Decode(units))
	if len(data)%2 != 0 {
		r.fault(Position{strings.Count(text, "\n") + 1, 0}, "odd number of bytes: the last UTF-16 character is cut")
	}
	return text
}

// encodeUTF16 is the form that lodctr is sure to read: UTF-16LE with a byte
// order mark and lines that end in CR LF.
func encodeUTF16(text string) []byte {
	b := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r\n"))) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// lines yields the lines of a text without their ends, counted from 1.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			if !yield(n, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

// column is the column of the character that begins at a byte of a line.
func column(line string, at int) int {
	return utf8.RuneCountInString(line[:min(at, len(line))]) + 1
}
