package queuedir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A directory that another account owns, can write or links to is refused.
func TestOpen(t *testing.T) {
	base := t.TempDir()
	own, open := filepath.Join(base, "a", "own"), filepath.Join(base, "open")
	foreign, target := filepath.Join(base, "foreign"), filepath.Join(base, "target")
	link := filepath.Join(base, "link")
	for _, dir := range []string{open, foreign, target} {
		must(t, os.Mkdir(dir, 0o700))
	}
	must(t, os.Chmod(open, 0o777))
	must(t, os.Symlink(target, link))
	if err := os.Chown(foreign, 65534, 65534); err != nil {
		t.Logf("not tried: the directory of another account: %v", err)
		foreign = open
	}

	wants := map[string]error{own: nil, target: nil, open: ErrUnsafe, foreign: ErrUnsafe, link: ErrUnsafe}
	for dir, want := range wants {
		d, err := Open(dir)
		if !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", dir, err, want)
		}
		if d != nil {
			must(t, d.Close())
		}
	}
}

// Links, named pipes and huge files are refused, for reading and for writing, and stay as they are.
func TestOpenFile(t *testing.T) {
	path := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	must(t, os.WriteFile(victim, []byte("mine"), 0o600))
	for _, name := range []string{"link", "state.new"} {
		must(t, os.Symlink(victim, filepath.Join(path, name)))
	}
	must(t, os.Symlink("nothing", filepath.Join(path, "dangling")))
	must(t, syscall.Mkfifo(filepath.Join(path, "pipe"), 0o600))
	must(t, os.WriteFile(filepath.Join(path, "huge"), nil, 0o600))
	must(t, os.Truncate(filepath.Join(path, "huge"), 1<<40))
	must(t, os.WriteFile(filepath.Join(path, "text"), make([]byte, 2<<20), 0o600))

	d, err := Open(path)
	must(t, err)
	defer d.Close()
	for _, name := range []string{"link", "dangling", "pipe", "huge"} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_TRUNC} {
			if f, err := d.OpenFile(name, flag); !errors.Is(err, ErrUnsafe) {
				t.Errorf("%s, flags %#x: %v, error %v", name, flag, f, err)
			}
		}
	}
	if _, err := d.ReadFile("text"); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a large text: error %v", err)
	}
	if err := d.Replace("state", []byte("x"), false); !errors.Is(err, ErrUnsafe) {
		t.Errorf("Replace: error %v", err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("the file that was linked to has %q, error %v", text, err)
	}

	must(t, d.Remove("state.new"))
	must(t, d.Replace("state", []byte("x"), true))
	if text, err := d.ReadFile("state"); err != nil || string(text) != "x" {
		t.Errorf("%q, error %v", text, err)
	}
}
