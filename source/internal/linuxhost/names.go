package linuxhost

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameRunes replace special characters of counter paths (Microsoft Learn, "Specifying a Counter
// Path").
var nameRunes = map[rune]rune{'(': '[', ')': ']', '/': '_', '\\': '_', '#': '_', '*': '_'}

// instanceName converts raw to a valid instance name. Control characters become "_", invalid UTF-8
// U+FFFD. An empty name becomes "_".
func instanceName(raw []byte) string { return cleanName(raw, false) }

// fileName is instanceName, but keeps slashes if raw begins with one, because then the name has no
// parent.
func fileName(raw []byte) string { return cleanName(raw, len(raw) > 0 && raw[0] == '/') }

func cleanName(raw []byte, slashes bool) string {
	if len(raw) == 0 {
		return "_"
	}
	var b strings.Builder
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		raw = raw[n:]
		switch replacement, ok := nameRunes[r]; {
		case r == '/' && slashes:
		case ok:
			r = replacement
		case unicode.IsControl(r):
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}
