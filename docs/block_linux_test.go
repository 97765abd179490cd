package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mark returns the first mark of this word.
func (b *block) mark(word string) (rest string, found bool) {
	i := slices.IndexFunc(b.marks, func(m mark) bool { return m.word == word })
	if i < 0 {
		return "", false
	}
	return b.marks[i].rest, true
}

// A command is a line of a session after a prompt, and the output below it.
type command struct {
	line    int
	windows bool
	text    string
	output  []string
}

// commands divides a session.
func (b *block) commands(t *testing.T, file string) (all []*command) {
	t.Helper()
	text := strings.TrimRight(strings.Join(b.lines, "\n"), "\n ")
	indent := len(text) - len(strings.TrimLeft(text, " "))
	continued := false
	for i, line := range strings.Split(text, "\n") {
		line = line[min(indent, len(line)):]
		posix, isPosix := strings.CutPrefix(line, "$ ")
		windows, isWindows := strings.CutPrefix(line, "> ")
		switch {
		case continued:
			last := all[len(all)-1]
			last.text = strings.TrimSuffix(last.text, `\`) + line
		case isPosix:
			all = append(all, &command{line: b.line + i, text: posix})
		case isWindows:
			all = append(all, &command{line: b.line + i, text: windows, windows: true})
		case len(all) == 0:
			t.Errorf("%s:%d: an indented block begins with a command after $ or >; other text needs a fence",
				file, b.line)
			return nil
		default:
			last := all[len(all)-1]
			last.output = append(last.output, line)
		}
		continued = strings.HasSuffix(line, `\`) && (continued || isPosix)
	}
	for _, c := range all {
		if n := len(c.output); n > 0 && c.output[n-1] == "" {
			c.output = c.output[:n-1]
		}
	}
	return all
}

// usual removes what winperf prints in addition on a busy machine or without all permissions. Its status is
// then 3.
func usual(out string) string { return unusual.ReplaceAllString(out, "") }

var unusual = regexp.MustCompile(`(?m)^winperf: (?:(?:\S+: )?no permission to read|\d+ samples? w\w+ missed) .*\n`)
