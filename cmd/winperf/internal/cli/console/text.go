package console

import (
	"bufio"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/safetext"
)

// LateNames returns the first paths for which a log of readings, or a sink, had no column.
func LateNames(w any) []string {
	if names, ok := w.(interface{ LateNames() []string }); ok {
		return names.LateNames()
	}
	return nil
}

// SomeNames lists the first of a number of names for a message; "" for none.
func SomeNames(names []string, of int) string {
	if len(names) == 0 {
		return ""
	}
	text := " (" + strings.Join(names, ", ")
	if of > len(names) {
		text += ", …"
	}
	return text + ")"
}

// Plural returns a number and a noun, in the plural unless the number is 1.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// BreaksNoLine replaces characters that end a line by spaces.
func BreaksNoLine(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
		return ' '
	}
	return r
}

// FirstSentence returns the first sentence of a text.
func FirstSentence(s string) string {
	s = safetext.Line(Words(s))
	if head, _, found := strings.Cut(s, ". "); found {
		return head + "."
	}
	return s
}

// Words joins the words of several lines to one line.
func Words(s string) string { return strings.Join(strings.Fields(s), " ") }

// Shorten cuts s to a number of characters.
func Shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// WriteWrapped writes text in lines of at most width, except for longer words. first begins the first
// line, indent the others.
func WriteWrapped(w *bufio.Writer, first, indent, text string, width int) {
	used := 0
	for word := range strings.FieldsSeq(text) {
		word = safetext.Line(word)
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
			w.WriteString(first)
			used = len(first)
		case used+1+n > width:
			w.WriteString("\n" + indent)
			used = len(indent)
		default:
			w.WriteString(" ")
			used++
		}
		w.WriteString(word)
		used += n
	}

	if used > 0 {
		w.WriteString("\n")
	}
}
