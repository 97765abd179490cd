package perftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Data returns the path of a file or directory with data of real machines, in shared/data next to
// the project. It skips the test if the data is missing.
func Data(t testing.TB, name ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	of := filepath.Join(append([]string{"shared", "data"}, name...)...)
	for {
		path := filepath.Join(dir, of)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skipf("no data from real machines: there is no %s beside the project", of)
		}
		dir = parent
	}
}

// Captures returns the real version 1 blocks for tests, by file name.
func Captures(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Data(t, "perfdata"), "*.bin"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d captures, error %v", len(files), err)
	}
	blocks := map[string][]byte{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		blocks[strings.TrimSuffix(filepath.Base(file), ".bin")] = b
	}
	return blocks
}
