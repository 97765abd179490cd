package control

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "probe"))
	if err != nil {
		t.Skip("this system has no local sockets:", err)
	}
	must(t, l.Close())
	return dir
}

// What is no socket in the directory of sockets is neither taken for a program nor touched, even
// under a name that a dead program's could have; sockets of the dead go, however many there are.
func TestForeignFiles(t *testing.T) {
	dir := socketDir(t)
	l, err := ListenSocket(dir, "test", false)
	must(t, err)
	defer l.Close()
	dead := func(i int) string { return filepath.Join(dir, fmt.Sprintf("gone.%d.sock", 1<<22+i)) }
	must(t, os.Mkdir(dead(1), 0o700))
	must(t, os.WriteFile(dead(2), []byte("mine"), 0o600))
	foreign := []string{dead(1), dead(2)}
	for i, to := range []string{l.Addr().String(), filepath.Join(dir, "nowhere"), dir} {
		link := dead(3 + i)
		if os.Symlink(to, link) == nil { // not every account may on Windows
			foreign = append(foreign, link)
		}
	}

	const left = 500
	for i := range left {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead(100 + i), Net: "unix"})
		must(t, err)
		l.SetUnlinkOnClose(false)
		must(t, l.Close())
	}
	all, err := Programs(t.Context(), dir)
	must(t, err)
	if len(all) != 1 || all[0].Name != "test" {
		t.Errorf("%d programs: %.200v", len(all), all)
	}

	if runtime.GOOS == "windows" {
		return // which does not tell sockets from files everywhere
	}
	for _, name := range foreign {
		if _, err := os.Lstat(name); err != nil {
			t.Error("it was touched:", err)
		}
	}
	files, err := os.ReadDir(dir)
	must(t, err)
	if len(files) != 1+len(foreign) {
		t.Errorf("%d files are left, want the socket and %d others", len(files), len(foreign))
	}
}

// A file that is where the socket belongs is left alone; a socket of the dead is not.
func TestForeignSocket(t *testing.T) {
	dir := socketDir(t)
	path := filepath.Join(dir, fmt.Sprintf("x.%d.sock", os.Getpid()))
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	if l, err := ListenSocket(dir, "x", false); err == nil {
		must(t, l.Close())
		t.Error("a socket replaces a file")
	}
	if runtime.GOOS == "windows" {
		return // which does not tell sockets from files everywhere
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// A directory that is none, and one whose files cannot be read, are errors and no empty lists.
func TestNoDirectory(t *testing.T) {
	file := filepath.Join(socketDir(t), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if all, err := Programs(t.Context(), file); err == nil {
		t.Errorf("%v in a file", all)
	}
	if all, err := Programs(t.Context(), file+"x"); err != nil || len(all) > 0 {
		t.Errorf("%v, %v in a directory that is not there", all, err)
	}
	if _, err := Find(t.Context(), file+"x", ""); !errors.Is(err, ErrNobody) || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
