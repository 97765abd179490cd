//go:build unix

package control

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A directory that others can write to, or that is a link, has no sockets; what is made is
// the user's own.
func TestRights(t *testing.T) {
	base := socketDir(t)
	open := filepath.Join(base, "open")
	must(t, os.Mkdir(open, 0o700))
	must(t, os.Chmod(open, 0o777))
	link := filepath.Join(base, "link")
	must(t, os.Symlink(base, link))
	for _, dir := range []string{open, link} {
		if l, err := ListenSocket(dir, "test", false); err == nil {
			t.Errorf("it listens in %s", dir)
			must(t, l.Close())
		}
		if _, err := Programs(t.Context(), dir); err == nil {
			t.Errorf("programs are sought in %s", dir)
		}
	}
	if _, err := Programs(t.Context(), open); !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}

	long := filepath.Join(base, strings.Repeat("x", 100))
	if _, err := ListenSocket(long, "test", false); err == nil || !strings.Contains(err.Error(), Environment) {
		t.Errorf("a path that is too long: %v", err)
	}

	l, err := ListenSocket(filepath.Join(base, "own"), "../odd name", false)
	must(t, err)
	defer l.Close()
	for path, want := range map[string]os.FileMode{filepath.Dir(l.Addr().String()): 0o700, l.Addr().String(): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has %v, want %v", path, info.Mode().Perm(), want)
		}
	}
	if filepath.Dir(l.Addr().String()) != filepath.Join(base, "own") {
		t.Error(l.Addr().String())
	}
}
