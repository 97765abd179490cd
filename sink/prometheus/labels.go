package prometheus

import (
	"unicode/utf8"

	"github.com/winperf/winperf/sink/metrics"
)

type labels struct {
	text    []byte // of all rows: a="b",c="d"}_
	ends    []int  // row i is text[ends[i-1]:ends[i]]; empty without labels
	created bool   // a row has a known start
	seen    uint64 // the number of the latest Encode that used them
}

func newLabels(rows *metrics.Rows) *labels {
	size := 0
	for i := range rows.Len() {
		for _, label := range rows.Labels(i) {
			size += len(label.Name) + len(label.Value) + len(`="",`)
		}
		size++
	}

	l := &labels{text: make([]byte, 0, size), ends: make([]int, 0, rows.Len())}
	for i := range rows.Len() {
		_, known := rows.Created(i)
		l.created = l.created || known

		begin := len(l.text)
		l.text = appendLabels(l.text, rows.Labels(i))
		if len(l.text) > begin {
			l.text = append(l.text, "} "...)
		}
		l.ends = append(l.ends, len(l.text))
	}
	return l
}

func appendLabels(dst []byte, all []metrics.Label) []byte {
	begin := len(dst)
	for _, label := range all {
		if label.Value == "" {
			continue
		}
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		dst = append(dst, label.Name...)
		dst = append(dst, '=', '"')
		dst = appendEscaped(dst, label.Value, true)
		dst = append(dst, '"')
	}
	return dst
}

// appendEscaped appends escaped text, which may be any bytes. Quotes are escaped only if quotes is
// set.
func appendEscaped(dst []byte, text string, quotes bool) []byte {
	plain := 0 // the position after the last appended byte
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && c != '\\' && c != '"' && c != '\n' {
			i++
			continue
		}

		escaped, size := escape(text[i:], quotes)
		if escaped != "" {
			dst = append(dst, text[plain:i]...)
			dst = append(dst, escaped...)
			plain = i + size
		}
		i += size
	}
	return append(dst, text[plain:]...)
}

const replacement = "\uFFFD"

// escape returns the replacement of the first character of a text, or "" to keep it, and its size
// in bytes.
func escape(text string, quotes bool) (escaped string, size int) {
	switch c := text[0]; {
	case c == '\\':
		return `\\`, 1
	case c == '\n':
		return `\n`, 1
	case c == '"' && quotes:
		return `\"`, 1
	case c < utf8.RuneSelf:
		return "", 1
	}

	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		return replacement, 1
	}
	return "", size
}
