package serve

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var unmatchedLine = regexp.MustCompile(`(?m)^winperf_path_unmatched\{path="(.*)"\} 1$`)

// unmatchedPaths are those that a text tells of.
func unmatchedPaths(text string) (paths []string) {
	for _, m := range unmatchedLine.FindAllStringSubmatch(text, -1) {
		paths = append(paths, strings.ReplaceAll(m[1], `\\`, `\`))
	}
	return paths
}

// Paths that match nothing are told one by one until they match: no such object, counter or
// instance, also of costly objects.
func TestUnmatched(t *testing.T) {
	src := &fake{without: "Memory"}
	e := exporter(t, src, Config{
		Paths: paths(t, `\Procesor(*)\*`, `\Processor(*)\Interrupts/sec`, `\Processor(9)\*`, `\Processor\*`,
			`\Memory\Nothing`, `\Memory\Avail*`, `\Details(*)\Nothing`, `\Details(t)\Available Bytes`),
		Objects: []string{"Proc*", "Disk*"},
	})
	_, text := scrape(e, "/metrics")
	want := []string{
		`\Procesor(*)\*`, `\Processor(9)\*`, `\Processor\*`, `\Memory\Nothing`, `\Memory\Avail*`, `\Disk*(*)\*`,
		`\Details(*)\Nothing`,
	}
	if diff := cmp.Diff(want, unmatchedPaths(text)); diff != "" {
		t.Error(diff)
	}

	// What matched is not told again when it goes.
	rest(e)
	src.set(func() { src.without = "" })
	scrape(e, "/metrics")
	rest(e)
	src.set(func() { src.without = "Memory" })
	_, text = scrape(e, "/metrics")
	want = []string{
		`\Procesor(*)\*`, `\Processor(9)\*`, `\Processor\*`, `\Memory\Nothing`, `\Disk*(*)\*`, `\Details(*)\Nothing`,
	}
	if diff := cmp.Diff(want, unmatchedPaths(text)); diff != "" {
		t.Error(diff)
	}
}

// Of a record each sample counts, and what is served whole has no paths.
func TestUnmatchedRecord(t *testing.T) {
	e := exporter(t, &fake{recorded: 3}, Config{Paths: paths(t, `\Memory\*`, `\Nothing\*`)})
	if _, text := scrape(e, "/metrics"); !cmp.Equal(unmatchedPaths(text), []string{`\Nothing\*`}) {
		t.Errorf("%q", unmatchedPaths(text))
	}
	e = exporter(t, &fake{}, Config{})
	if _, text := scrape(e, "/metrics"); unmatchedPaths(text) != nil {
		t.Errorf("%q", unmatchedPaths(text))
	}
}
