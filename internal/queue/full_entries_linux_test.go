package queue

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/winperf/winperf/internal/queue/internal/queuedir"
)

// smallDisk is a directory on a file system of its own, of so many bytes.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("skipped: no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) }) // or what follows tells
	return dir
}

// fill appends entries until the disk is full, and returns how many there are in all.
func fill(t *testing.T, s *box, from int) (last int) {
	t.Helper()
	for n := from; n < from+10_000; n++ {
		if _, err := s.Append(bigEntry(n)); errors.Is(err, syscall.ENOSPC) {
			return n - 1
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the disk does not get full")
	return 0
}

func bigEntry(n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%d;", n), 200) }

// On a full disk what was appended is there, once, and what failed is not; what a reader forgets
// makes space again, though nothing can be noted before there is some.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, 256<<10)
	o := Options{MaxBytes: 1 << 30, Segment: 32 << 10, Readers: []string{"a"}}
	dir := filepath.Join(disk, "queue")
	s := openEntries(t, dir, o)
	defer func() { _ = s.Close() }()
	r := s.Reader("a")

	last := fill(t, s, 1)
	_ = os.WriteFile(filepath.Join(disk, "rest"), make([]byte, 4096), 0o600) // the last page, if there is one
	seen := 0
	for round := range 5 {
		for seen < last {
			entries, lost, err := r.Read(7)
			must(t, err)
			if len(entries) == 0 || lost > 0 {
				t.Fatalf("round %d: %d entries at %d of %d, %d lost", round, len(entries), seen, last, lost)
			}
			for _, e := range entries {
				if seen++; e.Number != uint64(seen) || !bytes.Equal(e.Data, bigEntry(seen)) {
					t.Fatalf("round %d: entry %d is %d: %.40q", round, seen, e.Number, e.Data)
				}
			}
			_ = r.Done(uint64(seen)) // it may fail, but not for good
		}
		must(t, r.Done(uint64(seen)))
		if got := s.State(); got.Items != 0 || got.Last != uint64(last) || got.Bytes > 64<<10 {
			t.Fatalf("round %d: %+v, %d were appended", round, got, last)
		}
		if more := fill(t, s, last+1); more < last+50 {
			t.Fatalf("round %d: room for %d entries", round, more-last)
		} else {
			last = more
		}
	}

	// What was forgotten does not come back.
	must(t, r.Done(uint64(seen)))
	must(t, s.Close())
	s = openEntries(t, dir, o)
	entries, lost, err := s.Reader("a").Read(1)
	must(t, err)
	if len(entries) != 1 || lost > 0 || entries[0].Number > uint64(seen)+1 {
		t.Errorf("after %d it goes on with %v, %d lost", seen, entries, lost)
	}
}

// On a disk that others fill the last segment makes space when all of it was delivered.
func TestFullDiskOfOthers(t *testing.T) {
	disk := smallDisk(t, 256<<10)
	o := Options{MaxBytes: 1 << 30, Segment: 64 << 10, Readers: []string{"a"}}
	dir := filepath.Join(disk, "queue")
	s := openEntries(t, dir, o)
	r := s.Reader("a")
	for n := 1; n <= 20; n++ {
		_, err := s.Append(bigEntry(n))
		must(t, err)
	}
	_ = os.WriteFile(filepath.Join(disk, "other"), make([]byte, 1<<20), 0o600) // as much as there is space for

	last := fill(t, s, 21)
	for round := range 3 {
		for seen := uint64(0); seen < uint64(last); {
			entries, lost, err := r.Read(100)
			must(t, err)
			if len(entries) == 0 || lost > 0 {
				t.Fatalf("round %d: %d entries, %d lost, of %d", round, len(entries), lost, last)
			}
			seen = entries[len(entries)-1].Number
			if got := entries[0]; !bytes.Equal(got.Data, bigEntry(int(got.Number))) {
				t.Fatalf("round %d: entry %d has %.40q", round, got.Number, got.Data)
			}
		}
		_ = r.Done(uint64(last)) // there may be no space to note it
		more := fill(t, s, last+1)
		if more < last+5 {
			t.Fatalf("round %d: room for %d entries after all were delivered", round, more-last)
		}
		last = more
	}

	must(t, s.Close())
	s = openEntries(t, dir, o)
	if got := s.State(); got.Last != uint64(last) || got.Dropped > 0 {
		t.Errorf("%+v, want the last entry to be %d", got, last)
	}
}

// Files that another account prepared are neither followed nor waited for: the queue is not opened.
func TestPreparedFiles(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	must(t, os.WriteFile(victim, []byte("mine"), 0o600))
	link := func(name string) error { return os.Symlink(victim, name) }
	pipe := func(name string) error { return syscall.Mkfifo(name, 0o600) }
	huge := func(name string) error {
		return errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 1<<40))
	}
	for _, c := range []struct {
		name    string
		prepare func(name string) error
	}{
		{"lock", link}, {"lock", pipe}, {"readers", link}, {"readers", pipe}, {"readers", huge},
		{firstName, link}, {firstName, pipe}, {firstName, huge},
	} {
		dir := t.TempDir()
		must(t, c.prepare(filepath.Join(dir, c.name)))
		if _, err := OpenEntries(dir, Options{}); !errors.Is(err, queuedir.ErrUnsafe) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}

	dir := t.TempDir()
	must(t, os.Chmod(dir, 0o777))
	if _, err := OpenEntries(dir, Options{}); !errors.Is(err, queuedir.ErrUnsafe) {
		t.Errorf("a directory that others can write: error %v", err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("the file that was linked to has %q, error %v", text, err)
	}
}
