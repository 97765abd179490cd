package delivery

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/winperf/winperf"
)

// A named pipe is no file: what nobody reads would hold up its writer.
func TestNamedPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe.jsonl")
	must(t, syscall.Mkfifo(name, 0o600))
	if _, err := NewFile(name, FileOptions{}); !errors.Is(err, winperf.ErrNotSupported) {
		t.Error(err)
	}
}
