package serve

import (
	"regexp"
	"strings"
	"testing"

	"github.com/winperf/winperf/source"
)

// TestHelpIsOneSentence: each help text of a scrape of this machine is one sentence.
func TestHelpIsOneSentence(t *testing.T) {
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	e, err := New(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	_, text := scrape(e, "/metrics")
	two := regexp.MustCompile(`[.!?]\s+\p{Lu}`)
	n := 0
	for line := range strings.Lines(text) {
		if help, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ := strings.Cut(strings.TrimSpace(help), " ")
			if strings.HasPrefix(help, `\\`) { // the path of a counter
				_, help, _ = strings.Cut(help, ": ")
			}
			n++
			if help == "" || two.MatchString(help) || strings.Contains(help, `\n`) {
				t.Errorf("%s: %q", name, help)
			}
		}
	}
	if n < 200 {
		t.Errorf("%d help texts", n)
	}
}
