package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A mark is a comment directly before a block, such as <!-- test: skip it needs root -->:
//
//	before COMMAND   runs a command first
//	with FLAGS       adds flags to winperf
//	replace A => B   replaces text in each command
//	needs PROGRAM    does not run the block without another program
//	status N         is the expected exit status
//	background       runs the command until the end of the page
//	flags REASON     checks only the flags of winperf
//	skip REASON      does not run the block
type mark struct{ word, rest string }

var marks = regexp.MustCompile(
	`^\s*<!-- test: (before|with|replace|needs|status|background|flags|skip)\b ?(.*?) -->$`)

// A block is an indented session, or a fenced text in a language.
type block struct {
	line     int
	language string
	marks    []mark
	lines    []string
}

// A page is a file of the documentation. Prose is its text without blocks.
type page struct {
	file   string
	prose  string
	blocks []*block
}

// pages reads the files that the tests check.
func pages(t *testing.T) (all []page) {
	t.Helper()
	files := []string{"../README.md", "../CONTRIBUTING.md", "../ARCHITECTURE.md"}
	forms := []string{"*.md", "../cmd/*/README.md", "../examples/README.md", "../examples/*/README.md"}
	for _, form := range forms {
		more, err := filepath.Glob(form)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}

	for _, file := range files {
		all = append(all, parse(t, file, readFile(t, file)))
	}
	return all
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// parse finds the blocks of a page. A line that is indented by at least four characters after an empty line
// begins a session.
func parse(t *testing.T, file, text string) page {
	t.Helper()
	p := page{file: file}
	var next []mark
	var prose strings.Builder
	var open *block // to which lines are added
	fenced, empty := false, true
	begin := func(line int, language string) {
		open = &block{line: line, language: language, marks: next}
		p.blocks, next = append(p.blocks, open), nil
	}

	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		indented := strings.HasPrefix(line, "    ") && trimmed != ""
		if !fenced && open != nil && !indented && trimmed != "" {
			open = nil
		}

		switch found := marks.FindStringSubmatch(line); {
		case strings.HasPrefix(trimmed, "```") && fenced:
			open, fenced = nil, false
		case fenced:
			open.lines = append(open.lines, line)
		case strings.HasPrefix(trimmed, "```"):
			fenced = true
			begin(i+1, strings.TrimPrefix(trimmed, "```"))
			if open.language == "" {
				t.Errorf("%s:%d: the fence names no language", file, i+1)
			}
		case found != nil:
			next = append(next, mark{found[1], found[2]})
		case strings.HasPrefix(trimmed, "<!-- test:"):
			t.Errorf("%s:%d: unknown mark", file, i+1)
		case indented && open == nil && empty:
			begin(i+1, "")
			open.lines = append(open.lines, line)
		case open != nil:
			open.lines = append(open.lines, line)
		case len(next) > 0 && trimmed != "":
			t.Errorf("%s:%d: a mark is not before a block", file, i+1)
			next = nil
		default:
			prose.WriteString(line + "\n")
		}
		empty = trimmed == ""
	}
	p.prose = prose.String()
	return p
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks: each link to a file or heading of the project leads there.
func TestLinks(t *testing.T) {
	for _, p := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(p.prose, -1) {
			target, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}

			file := p.file
			if target != "" {
				file = filepath.Join(filepath.Dir(p.file), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s: %v", p.file, found[1], err)
			} else if heading != "" && !slices.Contains(headings(readFile(t, file)), heading) {
				t.Errorf("%s: %s: there is no such heading", p.file, found[1])
			}
		}
	}
}

// headings returns the names of the headings in links.
func headings(text string) (all []string) {
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-")
			all = append(all, regexp.MustCompile(`[^\p{L}\d_-]`).ReplaceAllString(name, ""))
		}
	}
	return all
}
