package delivery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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

// until waits until a state is so.
func until(t *testing.T, d *Delivery, is func(State) bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(d.State()); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%+v", d.State())
		}
	}
}

// wholeLines counts the lines of a file. A batch that is being written may be there in part for a
// moment, until the failed write is taken back.
func wholeLines(t *testing.T, name string) int {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(name)
		must(t, err)
		if len(text) == 0 || strings.HasSuffix(string(text), "\n") {
			return strings.Count(string(text), "\n")
		}
		if time.Now().After(end) {
			t.Fatalf("%s ends within a line: %s", name, text[max(0, len(text)-100):])
		}
	}
}

// A file on a full disk has whole batches only, and gets the others when there is space again; one
// elsewhere has them at once.
func TestFullFile(t *testing.T) {
	for _, format := range []string{"jsonl", "csv"} {
		disk := smallDisk(t, 64<<10)
		name := filepath.Join(disk, "x."+format)
		ballast := filepath.Join(disk, "ballast")
		must(t, os.WriteFile(ballast, make([]byte, 52<<10), 0o600))
		s, err := NewFile(name, FileOptions{})
		must(t, err)
		other := &testSink{}
		d := begin(t, Options{Routes: []Route{
			{Name: "full", Sink: s, Records: 10, Linger: -1, First: time.Millisecond, Most: time.Millisecond},
			{Name: "other", Sink: other, Linger: -1},
		}})
		const all = 400 // some 100 KiB of records, 14 KiB of values
		for n := uint64(1); n <= all; n++ {
			put(t, d, record("x", n))
		}
		until(t, d, func(s State) bool { return s.Routes[0].Failures > 3 && s.Routes[1].Delivered == all })
		written := d.State().Routes[0].Delivered
		if lines := wholeLines(t, name); uint64(lines) < written {
			t.Errorf("%s: %d of %d lines are there", format, lines, written)
		}

		must(t, syscall.Mount("", disk, "tmpfs", syscall.MS_REMOUNT, "size=1048576"))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		must(t, d.Close(ctx))
		other.expect(t, names("x", 1, all)...)
		if format == "jsonl" {
			if got := inFile(t, name); !slices.Equal(got, names("x", 1, all)) {
				t.Errorf("%d records: %.300v", len(got), got)
			}
			continue
		}
		text, err := os.ReadFile(name)
		must(t, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != all+1 || !strings.Contains(lines[all], `"400"`) || strings.Count(string(text), "PDH-CSV") != 1 {
			t.Errorf("%d lines:\n%.400s", len(lines), text)
		}
	}
}

// A queue on a full disk loses nothing: what it does not take stays where it is until it does.
func TestFullQueue(t *testing.T) {
	disk := smallDisk(t, 128<<10)
	sink := &testSink{}
	d := begin(t, Options{
		Routes: []Route{{Name: "a", Sink: sink, Records: 20, Linger: -1}},
		Disk:   &Disk{Dir: filepath.Join(disk, "queue")},
	})
	ballast := filepath.Join(disk, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 100<<10), 0o600))
	ended := make(chan error, 1)
	go func() { ended <- d.Run(t.Context(), &testRecords{left: records("x", 1, 1000)}) }()
	until(t, d, func(s State) bool { return errors.Is(s.Err, syscall.ENOSPC) })
	must(t, os.Remove(ballast))
	must(t, syscall.Mount("", disk, "tmpfs", syscall.MS_REMOUNT, "size=4194304"))
	must(t, <-ended)
	must(t, d.Close(t.Context()))
	sink.expect(t, names("x", 1, 1000)...)
	if state := d.State(); state.Err != nil || state.Routes[0].Lost > 0 {
		t.Errorf("%+v", state)
	}
}

// A spill on a full disk refuses records whole, has all that it took, and takes more when those are
// delivered.
func TestFullSpill(t *testing.T) {
	disk := smallDisk(t, 256<<10)
	s, err := NewSpill(Disk{Dir: filepath.Join(disk, "spill"), Bytes: 1 << 20}) // segments of 64 KiB
	must(t, err)
	next, seen := uint64(1), uint64(0)
	for range 4 {
		for {
			if err := s.Append(records("x", next, next+9)); errors.Is(err, syscall.ENOSPC) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			next += 10
		}
		for seen < next-1 {
			all, err := s.Read(seen, 25)
			must(t, err)
			for _, r := range all {
				if seen++; r.Number != seen {
					t.Fatalf("record %d is %d", seen, r.Number)
				}
			}
			_ = s.Forget(seen) // it may fail, but not for good
		}
		must(t, s.Forget(seen))
	}
	if next < 2000 {
		t.Errorf("%d records in all", next-1)
	}
	must(t, s.Close())
}
