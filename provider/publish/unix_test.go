//go:build linux || darwin

package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/winperf/winperf/internal/pubfile"
)

// A hostile publisher makes its file shorter and longer while it is read. That
// costs itself, and the others are there all the time.
func TestTruncate(t *testing.T) {
	inWindows(t, func(t *testing.T, window int) {
		dir := tempDir(t)
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.window = window
		good := start(t, dir, singles)
		must(t, func(n string) (*Counter, error) { return good.Counter("One", n) }, "N").Set(7)
		bad := start(t, dir, schemaText)
		whole := content(t, bad)
		// The publisher's memory goes with the end of its file, so another one plays it.
		path := filepath.Join(dir, "hostile"+pubfile.Suffix)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Write(whole); err != nil {
			t.Fatal(err)
		}
		if locked, err := tryLock(f, true); err != nil || !locked {
			t.Fatal(locked, err)
		}
		if err := bad.Close(); err != nil {
			t.Fatal(err)
		}
		w.expect("One 7", "Transfer 0 0 0")
		var ended atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := 0; !ended.Load(); i++ {
				n := int64(i*1001) % int64(len(whole)+1)
				if err := f.Truncate(n); err != nil {
					t.Error(err)
				}
				if _, err := f.WriteAt(whole, 0); err != nil {
					t.Error(err)
				}
			}
		}()
		for range 300 {
			if got := w.all(); got != "One 7\nTransfer 0 0 0\n" && got != "One 7\n" {
				t.Errorf("published are\n%s", got)
			}
		}
		ended.Store(true)
		<-done
		if err := f.Truncate(200); err != nil {
			t.Fatal(err)
		}
		w.expect("One 7")
		if len(w.problems) == 0 {
			t.Error("nobody was told")
		}
	})
}

// The owner and the group read, nobody else.
func TestRights(t *testing.T) {
	dir := tempDir(t)
	old := syscall.Umask(0o777)
	p, err := New(schema(t, singles), Options{Dir: dir})
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	info, err := os.Stat(p.Path())
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	if _, err := New(schema(t, singles), Options{Dir: dir, Group: "no such group"}); err == nil {
		t.Error("a group that there is not")
	}
	if n := len(files(t, dir)); n != 1 {
		t.Errorf("%d files", n)
	}
}

// A private directory that others may write to is ignored, and links and
// pipes are not followed.
func TestStrangers(t *testing.T) {
	dir := tempDir(t)
	p := start(t, dir, singles)
	open := func(private bool) *watcher {
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.dirs[0].private = private
		return w
	}
	open(true).expect("One 0")
	if err := os.Chmod(dir, 0o722); err != nil {
		t.Fatal(err)
	}
	w := open(true)
	w.expect()
	w.expectProblems("others may write to " + dir)
	if _, err := newFile([]directory{{path: dir, private: true}}, "x", ""); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("publishing there: %v", err)
	}
	other := tempDir(t)
	for name, make := range map[string]func(path string) error{
		"link": func(path string) error { return os.Symlink(p.Path(), path) },
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		path := filepath.Join(other, name+pubfile.Suffix)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if f, _, err := openIdentified(path); err == nil {
			_ = f.Close()
			t.Errorf("opened a %s", name)
		}
	}
	w = watch(t, ReaderOptions{Dirs: []string{other}})
	w.expect()
	w.expectProblems()
}

// A reader of a file whose publisher was killed holds every lock on it
// that a reader can have. That does not bring the values back.
func TestHeldByReader(t *testing.T) {
	dir := tempDir(t)
	start(t, dir, singles) // skips where nothing can be published
	w := watch(t, ReaderOptions{Dirs: []string{dir}})
	c := startCounted(t, dir)
	w.expect("One 0", "Transfer 0 0 0", "Peer(parent) 0", "Job(parent/job) 0 0 0")

	f, err := openFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // it tells that it was killed
	holdAll(t, f)

	w.expect("One 0")
	w.expectProblems()
}

// A hostile publisher lives and writes whatever it likes into its file while it is
// read: titles, sizes, lengths, its schema, other bytes. Others are there all the
// time, and what is read and told of it stays within bounds.
func TestScribble(t *testing.T) {
	inWindows(t, func(t *testing.T, window int) {
		dir := tempDir(t)
		w := watch(t, ReaderOptions{Dirs: []string{dir}})
		w.window = window
		good := start(t, dir, singles)
		must(t, func(n string) (*Counter, error) { return good.Counter("One", n) }, "N").Set(7)
		bad := start(t, dir, schemaText)
		for i := range 50 {
			add(t, bad, "Job", fmt.Sprint(i), add(t, bad, "Peer", fmt.Sprint(i), nil))
		}
		whole := content(t, bad)[:bad.memory.used]
		f, err := os.OpenFile(bad.Path(), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()

		var ended atomic.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			random := rand.New(rand.NewPCG(1, 2))
			for !ended.Load() {
				at := random.IntN(len(whole) - 8)
				scrap := make([]byte, 1+random.IntN(8))
				for i := range scrap {
					scrap[i] = byte(random.Uint32()) >> random.IntN(8)
				}
				if _, err := f.WriteAt(scrap, int64(at)); err != nil {
					t.Error(err)
				}
				if random.IntN(20) == 0 {
					if _, err := f.WriteAt(whole, 0); err != nil {
						t.Error(err)
					}
				}
			}
		}()
		for i := range 300 {
			if i%10 == 0 { // a reader that has yet to read the definitions
				w = watch(t, ReaderOptions{Dirs: []string{dir}})
				w.window = window
			}
			if got := w.all(); !strings.Contains(got, "One 7\n") || len(got) > 64*len(whole) {
				t.Fatalf("published are %d bytes:\n%.2000s", len(got), got)
			}
			if damage := w.view.Damage(); len(damage) > maxDamage+1 {
				t.Errorf("%d errors", len(damage))
			}
		}
		ended.Store(true)
		<-done
		for _, told := range w.problems {
			if len(told) > 1024 {
				t.Errorf("told %d bytes: %.300s", len(told), told)
			}
		}
	})
}

// The group of a file does not read it where it cannot reach the directory.
func TestAudienceReaches(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("skipped: only root can give directories away")
	}
	dir := t.TempDir()
	for parent := filepath.Dir(dir); len(parent) > 1 && parent != os.TempDir(); parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil { // those of the test
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	const group = 61005
	if err := os.Chown(file, -1, group); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	for _, tt := range []struct {
		mode  os.FileMode
		group int
		can   bool
	}{{0o700, 0, false}, {0o700, group, false}, {0o710, group, false}, {0o750, 0, false}, {0o750, group, true}, {0o755, 0, true}} {
		if err := errors.Join(os.Chown(dir, -1, tt.group), os.Chmod(dir, tt.mode)); err != nil {
			t.Fatal(err)
		}
		if got := audienceOf(f); strings.Contains(got, "but not reach it in "+dir) == tt.can {
			t.Errorf("mode %o, group %d: %q", tt.mode, tt.group, got)
		}
	}
}
