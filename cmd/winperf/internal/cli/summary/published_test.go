package summary

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winperf/winperf/internal/pubfile"
)

// TestPublishedFiles: a published file and a directory of them are no logs; a directory without any is an error.
func TestPublishedFiles(t *testing.T) {
	dir := t.TempDir()
	full, other := filepath.Join(dir, "full"), filepath.Join(dir, "other")
	one, two, log := filepath.Join(full, "1"+pubfile.Suffix), filepath.Join(full, "2"+pubfile.Suffix), filepath.Join(full, "x.csv")
	for _, name := range []string{full, other} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{one, two, log} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}

	for _, tt := range []struct {
		name string
		want []string
		ok   bool
	}{
		{full, []string{one, two}, true}, {two, []string{two}, true}, {log, nil, true}, {other, nil, false},
		{filepath.Join(dir, "missing"+pubfile.Suffix), nil, true}, {"local:", nil, true},
	} {
		got, err := publishedFiles(tt.name)
		if !slices.Equal(got, tt.want) || (err == nil) != tt.ok {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}
