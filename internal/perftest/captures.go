package perftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Captures returns the real version 1 blocks that tests read, by file name. They are kept beside the
// project, not in it.
func Captures(t testing.TB) map[string][]byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	for {
		files, _ := filepath.Glob(filepath.Join(dir, "shared", "data", "perfdata", "*.bin"))
		blocks := map[string][]byte{}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks[strings.TrimSuffix(filepath.Base(file), ".bin")] = b
		}
		if len(blocks) > 0 {
			return blocks
		}

		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("no folder shared/data/perfdata with captures beside the project")
		}
		dir = parent
	}
}
