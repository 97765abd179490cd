package convert

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
)

// A temporary file is beside the output, and gone when it was closed.
func TestSpoolFile(t *testing.T) {
	dir := t.TempDir()
	s := spoolFile{nearby: filepath.Join(dir, "out.om")}
	if err := s.Close(); err != nil { // that was never opened
		t.Error(err)
	}
	f, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	name := s.Name()
	if filepath.Dir(name) != dir {
		t.Errorf("the file is %s", name)
	}

	if _, err := f.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, 2)
	if _, err := f.ReadAt(back, 1); err != nil || string(back) != "ex" {
		t.Errorf("%q, %v", back, err)
	}
	if err := errors.Join(f.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Close: %v", err)
	}

	s.nearby = filepath.Join(dir, "nowhere", "out.om")
	if _, err := s.open(); err == nil {
		t.Error("a file in a directory that is not there")
	}
}

// An interrupted conversion stops writing and leaves nothing behind.
func TestOpenMetricsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var written strings.Builder
	w := &writing{Writer: &written, ctx: ctx, progress: &output.Progress{}}
	if n, err := w.Write([]byte("text")); n != 4 || err != nil || w.done != 4 {
		t.Errorf("%d, %v", n, err)
	}
	cancel()
	if _, err := w.Write([]byte("more")); !errors.Is(err, context.Canceled) || written.String() != "text" {
		t.Errorf("%q, %v", &written, err)
	}
}
