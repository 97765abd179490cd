package linuxhost

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameRunes says what stands for characters that have a meaning in counter
// paths (Microsoft Learn, "Specifying a Counter Path").
var nameRunes = map[rune]rune{'(': '[', ')': ']', '/': '_', '\\': '_', '#': '_', '*': '_'}

// instanceName returns the name of an instance made of bytes of which nothing
// is known: control characters become "_", broken UTF-8 becomes U+FFFD, and
// what a path could not hold is replaced. What has no name is "_".
func instanceName(raw []byte) string { return cleanName(raw, false) }

// fileName is instanceName for the path of a file, which keeps its slashes: a
// name that begins with one has no parent.
func fileName(raw []byte) string { return cleanName(raw, len(raw) > 0 && raw[0] == '/') }

func cleanName(raw []byte, slashes bool) string {
	if len(raw) == 0 {
		return "_"
	}
	var b strings.Builder
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		raw = raw[n:]
		switch stand, ok := nameRunes[r]; {
		case r == '/' && slashes:
		case ok:
			r = stand
		case unicode.IsControl(r):
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}
