package queue_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/internal/queue"
)

// small mounts a file system of so many bytes.
func small(t *testing.T, size int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill leaves no space on a small disk.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// On a disk that others fill what comes is in memory, and on the disk when there is space again. What
// was there before is whole, and no part of a sample is behind it.
func TestFullDisk(t *testing.T) {
	dir := small(t, 1<<20)
	other := filepath.Join(dir, "other")
	b := open(t, filepath.Join(dir, "queue"), queue.Options{})
	b.add(0, 5, 3000)
	fill(t, other)
	b.add(5, 25, 3000) // the first of them may fit into what its page has left
	if s := b.Stats(); s.Unwritten < 19 || s.Dropped > 0 {
		t.Errorf("%+v", s)
	}
	if len(b.told) != 1 || !strings.Contains(b.told[0], "no space left on device") {
		t.Errorf("told %q", b.told)
	}

	b.done(b.wants(0, 25))
	b.add(25, 27, 3000)
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	b.add(27, 29, 3000)
	if s := b.Stats(); s.Memory > 0 || len(b.told) != 2 {
		t.Errorf("%+v, told %q", s, b.told)
	}
	b.restart()
	b.done(b.wants(25, 29))
}

// A disk that the queue fills by itself has space again when that was sent: the file that is written
// last goes too.
func TestDiskFullOfQueue(t *testing.T) {
	b := open(t, filepath.Join(small(t, 200<<10), "queue"), queue.Options{})
	next := 0
	for range 5 {
		from := next
		for before := b.Stats().Unwritten; b.Stats().Unwritten == before; next++ {
			b.add(next, next+1, 5000)
		}
		if next-from < 20 {
			t.Errorf("there was room for %d samples", next-from)
		}
		b.done(b.wants(from, next))
	}
	if s := b.Stats(); s.Dropped > 0 || s.Items > 0 {
		t.Errorf("%+v", s)
	}

	// Each disk that was full is told, and each that was not any more.
	if n := len(b.told); n != 9 {
		t.Errorf("told %d times: %q", n, b.told)
	}
}

// What was written before is found after a restart on a disk that is still full.
func TestRestartOnFullDisk(t *testing.T) {
	dir := small(t, 1<<20)
	b := open(t, filepath.Join(dir, "queue"), queue.Options{})
	b.add(0, 5, 3000)
	fill(t, filepath.Join(dir, "other"))
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	b.reopen()
	b.add(5, 10, 3000)
	b.done(b.wants(0, 10))
	if got, _ := b.rest(); len(got) > 0 || !strings.Contains(strings.Join(b.told, "\n"), "memory only") {
		t.Errorf("read %v, told %q", got, b.told)
	}
}
