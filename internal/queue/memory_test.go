package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/queue"
)

// noFiles keeps an open queue from making files, by directories of their names, until it is told
// that there is space again. The next sample needs a new file.
func (b *box) noFiles() (room func()) {
	b.t.Helper()
	b.restart()
	var names []string
	for i := range 60 {
		name := filepath.Join(b.dir, fmt.Sprintf("%012d.capture", i+2))
		if err := os.Mkdir(name, 0o700); err != nil {
			b.t.Fatal(err)
		}
		names = append(names, name)
	}
	return func() {
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

// What the disk does not take can be read all the same, in its order, and is written when that
// is possible again. Both are told, once.
func TestUnwritten(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	b.add(0, 3, 100)
	room := b.noFiles()
	b.add(3, 8, 100)
	if s := b.Stats(); s.Unwritten != 5 || s.Memory == 0 || s.Items != 8 || s.Dropped != 0 {
		t.Errorf("%+v", s)
	}
	b.done(b.wants(0, 8))
	b.add(8, 10, 100)
	b.wants(8, 10)
	if len(b.told) != 1 || !strings.Contains(b.told[0], "in memory only") {
		t.Errorf("told %q", b.told)
	}

	room()
	b.add(10, 12, 100)
	b.wants(10, 12)
	if s := b.Stats(); s.Unwritten != 7 || s.Memory != 0 || s.Bytes == 0 || s.Items != 4 {
		t.Errorf("%+v", s)
	}
	if len(b.told) != 2 || !strings.Contains(b.told[1], "7 were in memory only, and 0 of them are lost") {
		t.Errorf("told %q", b.told)
	}
	b.restart()
	b.done(b.wants(8, 12))
	b.restart()
	b.wants(0, 0)
}

// A reader in the middle of what is in memory goes on there while that is written.
func TestUnwrittenWhileRead(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	b.add(0, 1, 10)
	room := b.noFiles()
	b.add(1, 3, 10)
	first := b.wants(0, 3)
	b.add(3, 6, 10)
	room()
	b.add(6, 8, 10)
	b.wants(3, 8)
	b.done(first)
	b.reader.Rewind()
	b.wants(3, 8)
}

// Memory is bounded: the oldest that it has go first, and are counted. What is on the disk stays.
func TestUnwrittenBound(t *testing.T) {
	const most, size, n = 4 << 20, 100_000, 150
	b := open(t, t.TempDir(), queue.Options{})
	b.add(0, 3, size)
	room := b.noFiles()
	for i := range n {
		b.add(3+i, 4+i, size)
		if s := b.Stats(); s.Memory > most {
			t.Fatalf("%d bytes in memory, want at most %d", s.Memory, most)
		}
	}
	lost := int(b.Stats().Dropped)
	if lost == 0 || lost > n-10 {
		t.Fatalf("%d of %d samples were dropped", lost, n)
	}

	room()
	b.add(3+n, 4+n, size)
	if want := fmt.Sprintf("%d of them are lost", lost); len(b.told) != 2 || !strings.Contains(b.told[1], want) {
		t.Errorf("told %q, want %q", b.told, want)
	}
	got, _ := b.rest()
	if len(got) != 4+n-lost || got[2] != 2 || got[3] != 3+lost || got[len(got)-1] != 3+n {
		t.Errorf("read %v, %d were dropped", got, lost)
	}
}

// A queue that is closed writes what it can, and says what is lost.
func TestCloseUnwritten(t *testing.T) {
	for _, again := range []bool{true, false} {
		b := open(t, t.TempDir(), queue.Options{})
		b.add(0, 2, 10)
		room := b.noFiles()
		b.add(2, 6, 10)
		if again {
			room()
		}

		err := b.Close()
		if (err == nil) != again || err != nil && !strings.Contains(err.Error(), "4 samples are lost") {
			t.Errorf("there is room %v: %v", again, err)
		}
		b.reopen()
		b.wants(0, map[bool]int{true: 6, false: 2}[again])
	}
}
