package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tools are commands for developers, in a text or after a prompt.
var tools = regexp.MustCompile("(?m)(?:`|^ *\\$ (?:\\S+=\\S+ )?)((?:go (?:-C \\S+ )?test|scripts/)[^`\n]*)")

// TestTools: packages and tests of a go test command exist, and so do scripts, their flags and steps.
func TestTools(t *testing.T) {
	tests, scripts := 0, 0
	for _, p := range pages(t) {
		for _, found := range tools.FindAllStringSubmatch(readFile(t, p.file), -1) {
			words := shellWords(found[1])
			if words[0] == "go" {
				tests++
				checkTest(t, p.file+": "+found[1], words[1:])
			} else {
				scripts++
				checkScript(t, p.file+": "+found[1], words)
			}
		}
	}
	if tests < 20 || scripts < 20 {
		t.Errorf("found %d tests and %d scripts", tests, scripts)
	}
}

// checkTest checks that each package has tests that the command runs.
func checkTest(t *testing.T, at string, words []string) {
	t.Helper()
	root := ".."
	if words[0] == "-C" {
		root, words = filepath.Join(root, words[1]), words[2:]
	}
	form := regexp.MustCompile(`.`)
	for flag, kind := range map[string]string{"-run": "(Test|Fuzz|Example)", "-bench": "Benchmark"} {
		if i := slices.Index(words, flag); i >= 0 && words[i+1] != "^$" {
			name, _, _ := strings.Cut(words[i+1], "/")
			form = regexp.MustCompile(`\nfunc ` + kind + `\w*` + name)
		}
	}

	for _, word := range words {
		if !strings.HasPrefix(word, "./") {
			continue
		}
		dir, below := strings.CutSuffix(word, "/...")
		if word == "./..." {
			dir, below = ".", true
		}
		if !runs(t, filepath.Join(root, dir), below, form) {
			t.Errorf("%s: %s has no such test", at, word)
		}
	}
}

// runs reports whether a test in a directory, or below it, has this form.
func runs(t *testing.T, dir string, below bool, form *regexp.Regexp) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != dir && !below {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") && form.MatchString(readFile(t, path)) {
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return found
}

// checkScript checks that a script exists and mentions the flags, and that it has the steps.
func checkScript(t *testing.T, at string, words []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", words[0]))
	if err != nil {
		t.Errorf("%s: %v", at, err)
		return
	}
	value := false // of a flag
	for _, word := range words[1:] {
		flag := strings.HasPrefix(word, "-")
		step := !flag && !value && slices.Contains([]string{"scripts/test", "scripts/soak"}, words[0])
		switch {
		case flag && word != "--help" && !strings.Contains(string(text), word):
			t.Errorf("%s: there is no flag %s", at, word)
		case step && !strings.Contains(string(text), "\nstep_"+word+"()"):
			t.Errorf("%s: there is no step %s", at, word)
		}
		value = flag && word != "--help"
	}
}

// TestJSON: blocks of JSON can be decoded.
func TestJSON(t *testing.T) {
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.language == "json" && !json.Valid([]byte(strings.Join(b.lines, "\n"))) {
				t.Errorf("%s:%d: no JSON", p.file, b.line)
			}
		}
	}
}

// shellWords returns the words of a command, which can be in quotes.
func shellWords(text string) (words []string) {
	for _, word := range regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(text, -1) {
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(word))
	}
	return words
}
