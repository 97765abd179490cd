package publish

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winperf/winperf/internal/winapi"
)

// TestCommonDirectory makes the common directory where there is none, and the one
// above it. Their owners must be trusted before something is published.
func TestCommonDirectory(t *testing.T) {
	t.Setenv("ProgramData", t.TempDir())
	d := systemDirs()[0]
	for range 2 {
		if err := MakeCommon(); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{d.path, filepath.Dir(d.path)} {
		if err := winapi.CheckDirectory(path); err != nil {
			t.Error(err)
		}
	}
}

// TestCommonFile has a file where a directory should be.
func TestCommonFile(t *testing.T) {
	root := t.TempDir()
	t.Setenv("ProgramData", root)
	if err := os.WriteFile(filepath.Join(root, "winperf"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := systemDirs()[0].prepare(); err == nil {
		t.Error("no error")
	}
}
