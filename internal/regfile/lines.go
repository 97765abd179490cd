package regfile

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/regfile/rules"
	"github.com/winperf/winperf/internal/wire"
)

// decodeText decodes a file to UTF-8. Windows reads UTF-16 with a byte order mark, and
// otherwise its ANSI code page; bytes that are not UTF-8 are decoded as code page 1252.
func decodeText(r *rules.Report, data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		r.Fault(rules.At(1, 1), "text is big-endian UTF-16: expected UTF-16LE with a byte "+
			"order mark")
		return ""
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(r, data[2:])
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		r.Warn(rules.At(1, 1), "UTF-8 byte order mark: lodctr reads UTF-16LE with one, or the ANSI code page")
		return string(data[3:])
	case utf8.Valid(data):
		return string(data)
	}
	return wire.Decode(data, ansi)
}

// ansi is the assumed ANSI code page.
const ansi = 1252

// decodeUTF16 reads UTF-16LE behind its byte order mark.
func decodeUTF16(r *rules.Report, data []byte) string {
	whole := len(data) &^ 1
	text := wire.Decode(data[:whole], wire.UTF16LE)
	if whole < len(data) {
		r.Fault(rules.At(strings.Count(text, "\n")+1, 0),
			"odd number of bytes: the last UTF-16 character is cut")
	}
	return text
}

// encodeUTF16 encodes text for lodctr: UTF-16LE with a byte order mark and lines that end
// in CR LF.
func encodeUTF16(text string) []byte {
	return wire.AppendUTF16([]byte{0xFF, 0xFE}, strings.ReplaceAll(text, "\n", "\r\n"))
}

// lines yields the lines of a text without their ends, numbered from 1.
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

// column returns the column of the character at a byte of a line.
func column(line string, at int) int {
	return utf8.RuneCountInString(line[:min(at, len(line))]) + 1
}
