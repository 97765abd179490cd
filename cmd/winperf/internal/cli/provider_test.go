package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
)

// TestProviderInitTogether checks that of several who write the same files at once
// all files are those of one of them.
func TestProviderInitTogether(t *testing.T) {
	const writers, rounds = 6, 20
	example := run(t, "provider", "init", "--example")
	dirs := make([]string, writers)
	for i := range dirs {
		dirs[i] = t.TempDir()
		schema := bytes.ReplaceAll(example, []byte("MyApplication"), fmt.Appendf(nil, "Application%d", i))
		schema = bytes.ReplaceAll(schema, []byte(`"BYTES_SENT"`), fmt.Appendf(nil, `"BYTES_SENT_%d"`, i))
		schema = bytes.ReplaceAll(schema, []byte("-2d1f1c0d7a10"), fmt.Appendf(nil, "-2d1f1c0d7b1%d", i))
		if err := os.WriteFile(filepath.Join(dirs[i], "app.json"), schema, 0o666); err != nil {
			t.Fatal(err)
		}
		run(t, "provider", "init", filepath.Join(dirs[i], "app.json"), "--dir", dirs[i])
	}

	shared := t.TempDir()
	for _, flags := range [][]string{nil, {"--overwrite"}} {
		for round := range rounds {
			dir := filepath.Join(shared, fmt.Sprint(round))
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			done := initTogether(t, dirs, dir, flags)
			if done == 0 || flags == nil && done > 1 {
				t.Errorf("%v: %d of %d were done", flags, done, writers)
			}
			if !sameFiles(t, dirs, dir) {
				t.Fatalf("%v: the files are not those of one", flags)
			}
		}
	}
}

// initTogether makes the files of all schemas in one directory, and returns how many
// said that they did.
func initTogether(t *testing.T, dirs []string, dir string, flags []string) (done int) {
	var wg sync.WaitGroup
	status, stderr := make([]int, len(dirs)), make([]strings.Builder, len(dirs))
	for i, from := range dirs {
		args := append([]string{"provider", "init", filepath.Join(from, "app.json"), "--dir", dir}, flags...)
		wg.Go(func() { status[i] = Run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr[i]) })
	}
	wg.Wait()
	for i := range status {
		switch text := stderr[i].String(); {
		case status[i] == console.ExitDone:
			done++
		case !strings.Contains(text, "--overwrite replaces it") && !strings.Contains(text, output.ErrInUse.Error()):
			t.Errorf("%v: status %d, %s", flags, status[i], text)
		}
	}
	return done
}

// sameFiles tells whether all files of a directory are those of one of others.
func sameFiles(t *testing.T, dirs []string, dir string) bool {
	for _, from := range dirs {
		same := 0
		for _, name := range []string{"app.ini", "app.h", "app.man", "app_symbols.h"} {
			if content(t, filepath.Join(dir, name)) == content(t, filepath.Join(from, name)) {
				same++
			}
		}
		if same == 4 {
			return true
		}
	}
	return false
}
