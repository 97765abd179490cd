package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRecordFull checks that a disk that is full is an error.
func TestRecordFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	dir := t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	src := "perfdata:" + filepath.Join(dir, "one.bin") + "?names=" + filepath.Join(dir, "names.tsv")
	for _, format := range []string{"capture", "blg", "csv", "jsonl"} {
		var stderr strings.Builder
		status := Run(context.Background(), []string{"record", "--source", src, `\Memory\Available MBytes`, "-f", format, "-o", "/dev/full", "--overwrite"}, strings.NewReader(""), io.Discard, &stderr)
		if status != console.ExitFailed || strings.Count(stderr.String(), "no space left on device") != 1 {
			t.Errorf("%s: status %d, %s", format, status, &stderr)
		}
	}
}

// TestRecordSpellings checks that record has the flags that stand for
// logman's.
func TestRecordSpellings(t *testing.T) {
	root := (&program{app: &console.App{}}).rootCommand()
	for _, cmd := range root.Commands() {
		for name, s := range commandSpellings[cmd.Name()] {
			for _, ours := range append(s.ours, s.without...) {
				flag, isFlag := strings.CutPrefix(ours, "--")
				if isFlag && cmd.Flags().Lookup(flag) == nil {
					t.Errorf("%s: %s has no flag %s", name, cmd.Name(), ours)
				}
			}
		}
	}
}
