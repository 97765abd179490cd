package trial

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
)

// TestDocs checks every experiment that the documentation shows, as run --check does.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "experiments.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) == 0 {
		t.Fatal("the documentation has no examples")
	}

	// What the examples expect of their machine.
	dir := t.TempDir()
	for _, name := range []string{"load", "gzip"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	t.Setenv("TOKEN", "x")
	open := &Opener{Source: func(ctx context.Context, url string) (winperf.Source, error) {
		return source.Open(ctx, url)
	}}
	for _, e := range examples {
		f, err := ReadFile("example.yaml", e[1])
		if err != nil {
			t.Errorf("%s\n%v", e[1], err)
			continue
		}
		s, err := Prepare(t.Context(), f, nil, open)
		if err != nil {
			t.Errorf("%s\n%v", e[1], err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
