package control_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/winperf/winperf/experiment/control"
	internal "github.com/winperf/winperf/internal/control"
)

// A program that listens is found under its name, once, until it stops.
func TestListen(t *testing.T) {
	dir := socketDir(t)
	opt := control.Options{Name: "orders", Dir: dir}
	server, err := control.Listen(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	found, err := internal.Find(t.Context(), dir, "orders")
	if err != nil || found.Path != server.Path() {
		t.Errorf("%s listens, found %+v, %v", server.Path(), found, err)
	}
	if again, err := control.Listen(t.Context(), opt); again != nil || !errors.Is(err, os.ErrExist) {
		t.Errorf("a second time: %v, %v", again, err)
	}

	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if left, err := internal.Programs(t.Context(), dir); len(left) != 0 || err != nil {
		t.Errorf("after Close: %v, %v", left, err)
	}
}

// socketDir is a directory whose path is short enough for a socket.
func socketDir(t *testing.T) string {
	t.Helper()
	base := ""
	if runtime.GOOS != "windows" {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "wp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })

	l, err := net.Listen("unix", filepath.Join(dir, "probe"))
	if err != nil {
		t.Skip("this system has no local sockets:", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}
