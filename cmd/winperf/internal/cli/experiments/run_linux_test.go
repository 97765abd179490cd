package experiments

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is left of a socket that nobody listens at makes room for another one; one that somebody listens
// at does not, and neither does a file.
func TestListenAt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	left, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	unix, ok := left.(*net.UnixListener)
	if !ok {
		t.Fatalf("%T", left)
	}
	unix.SetUnlinkOnClose(false)
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}

	l, err := listenAt(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := listenAt(t.Context(), name); err == nil || !strings.Contains(err.Error(), "another program listens") {
		t.Errorf("error %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := listenAt(t.Context(), name); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}
