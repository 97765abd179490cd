package queue_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/internal/queue/internal/queuedir"
)

// A file that was cut at any byte costs the samples that are not whole, and none before or after.
func TestCutAnywhere(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	var ends []int64 // of each sample
	for i := range 2 {
		b.add(i, i+1, 4)
		ends = append(ends, b.Stats().Bytes)
	}
	name := filepath.Base(b.files()[0])
	content := read(t, filepath.Join(b.dir, name))

	base := t.TempDir()
	for n := range content {
		dir := filepath.Join(base, fmt.Sprint(n))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), content[:n])
		cut := open(t, dir, queue.Options{Sync: time.Hour})
		cut.add(9, 10, 4)

		var want []int
		for i, end := range ends {
			if int64(n) >= end {
				want = append(want, i)
			}
		}
		if got, _ := cut.rest(); !slices.Equal(got, append(want, 9)) {
			t.Errorf("cut to %d bytes: read %v, want %v and 9", n, got, want)
		}
		if err := cut.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Files of others stay as they are, whatever they are called, while the queue comes and goes.
func TestForeignFiles(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{MaxBytes: 80_000})
	var names []string
	for _, name := range []string{
		"notes.txt", "1.capture", "000000000000.capture", "0000000000001.capture", "18446744073709551615.capture",
		"99999999999999999999.capture", "000000000001.capture.bak", "-00000000001.capture", "000000000003.CAPTURE",
		".capture", "00000000000x.capture", "000000000001.blg", "lock.old", "000000000007.capture",
	} {
		name = filepath.Join(b.dir, name)
		write(t, name, []byte("not the queue's "+name))
		names = append(names, name)
	}
	folder := filepath.Join(b.dir, "000000000005.capture")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}

	b.restart()
	b.add(0, 100, 2000) // more than there is space for
	dropped := int(b.Stats().Dropped)
	b.done(b.wants(dropped, 100))
	b.restart()
	b.add(100, 101, 10)
	b.wants(100, 101)
	for _, name := range names {
		if got := string(read(t, name)); got != "not the queue's "+name {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		t.Errorf("the folder: %v", err)
	}
	if s := b.Stats(); s.Unwritten > 0 {
		t.Errorf("%+v", s)
	}
}

// A file of a later version is not removed as if it had been sent, by nobody: it gets another name.
func TestLaterVersion(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	b.add(0, 3, 10)
	name := b.files()[0]
	later := read(t, name)
	binary.LittleEndian.PutUint32(later[8:], 3)
	binary.LittleEndian.PutUint32(later[20:], crc32.Checksum(later[:20], crc32.MakeTable(crc32.Castagnoli)))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, name, later)

	b.reopen()
	b.add(3, 5, 10)
	b.done(b.wants(3, 5))
	b.restart()
	if got := read(t, name+".later"); string(got) != string(later) {
		t.Errorf("it holds %d other bytes", len(got))
	}
	if len(b.told) != 1 || !strings.Contains(b.told[0], name+".later") || !strings.Contains(b.told[0], "version 3") {
		t.Errorf("told %q", b.told)
	}
}

// A directory that cannot be used is told by name, and nothing in it is touched.
func TestOpenFails(t *testing.T) {
	for what, prepare := range map[string]func(dir string) error{
		"no directory":       func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"below no directory": func(dir string) error { return os.WriteFile(filepath.Dir(dir), nil, 0o600) },
		"no lock":            func(dir string) error { return os.MkdirAll(filepath.Join(dir, "lock"), 0o700) },
	} {
		dir := filepath.Join(t.TempDir(), "a", "b")
		parent := filepath.Dir(dir)
		if what == "below no directory" {
			parent = filepath.Dir(parent)
		}
		if err := os.MkdirAll(parent, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		_, err := queue.OpenSamples(dir, queue.Options{})
		if err == nil || !strings.Contains(err.Error(), filepath.Dir(dir)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The time of day may be set while samples wait: none is dropped for that, and how old they are is
// how long they have waited.
func TestClockSteps(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{MaxAge: 8 * time.Hour})
	const decade = 100_000 * time.Hour
	for i, step := range []time.Duration{0, decade, -2 * decade, time.Minute, decade} {
		b.clock.now = b.clock.now.Add(step)
		b.add(i, i+1, 10)
		b.clock.pass(time.Minute)
		if got, want := b.clock.now.Sub(b.Stats().Oldest), time.Duration(i+1)*time.Minute; got != want {
			t.Errorf("after a step of %v the oldest sample is %v old, want %v", step, got, want)
		}
	}
	if s := b.Stats(); s.Dropped > 0 || len(b.files()) != 1 {
		t.Errorf("%+v in %d files", s, len(b.files()))
	}
	b.wants(0, 5)
}

// How old the oldest sample is that waits does not count those in front of it in its file.
func TestOldest(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	for i := range 10 {
		b.add(i, i+1, 10)
		b.clock.pass(time.Minute)
	}
	b.done(queue.Number(1, 7))
	if got := b.clock.now.Sub(b.Stats().Oldest); got != 3*time.Minute {
		t.Errorf("the oldest sample is %v old, want 3 minutes", got)
	}
}

// A clock that was wrong when a file was written makes no sample older than it can be.
func TestFileOfTheFuture(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	b.add(0, 3, 10)
	future := b.clock.now.Add(1000 * time.Hour)
	if err := os.Chtimes(b.files()[0], future, future); err != nil {
		t.Fatal(err)
	}
	b.restart()
	b.clock.pass(47 * time.Hour)
	b.add(3, 4, 10)
	b.wants(0, 4)
	b.clock.pass(2 * time.Hour)
	b.add(4, 5, 10)
	if s := b.Stats(); s.Dropped != 3 {
		t.Errorf("%+v, want those of before to be too old", s)
	}
}

// Where somebody removes the files, those samples are lost and counted, and what comes then goes on.
func TestFilesRemoved(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	b.add(0, 3, 10)
	b.restart() // nothing is open, so that any system removes it
	if err := os.Remove(b.files()[0]); err != nil {
		t.Fatal(err)
	}
	b.add(3, 5, 10)
	b.wants(3, 5)
	if s := b.Stats(); s.Dropped != 3 || s.Items != 2 || len(b.told) != 1 {
		t.Errorf("%+v, told %q", s, b.told)
	}
}

// What cannot be written again and again is told once.
func TestPositionFails(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	blocked := filepath.Join(b.dir, "readers.new")
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		b.add(i, i+1, 10)
		b.done(b.wants(i, i+1))
	}
	if len(b.told) != 1 || !strings.Contains(b.told[0], "sent again after a restart") {
		t.Errorf("told %q", b.told)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	b.add(3, 4, 10)
	b.done(b.wants(3, 4))
	b.restart()
	b.wants(0, 0)
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Files that another account prepared are neither followed nor waited for: the queue is not opened.
func TestPreparedFiles(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	write(t, victim, []byte("mine"))
	for _, name := range []string{"lock", "readers", "position.json"} {
		dir := t.TempDir()
		link := filepath.Join(dir, name)
		if err := os.Symlink(victim, link); err != nil {
			t.Skip(err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
			t.Skipf("skipped: this system does not tell links from files: %v", err)
		}
		var told []string
		q, err := queue.OpenSamples(dir, queue.Options{Report: func(err error) { told = append(told, err.Error()) }})
		if err == nil {
			err = q.Close()
		}
		if said := fmt.Sprint(err, told); !strings.Contains(said, name+" is no regular file") {
			t.Errorf("%s: %s", name, said)
		}
	}

	dir := t.TempDir()
	name := filepath.Join(dir, "000000000001.capture")
	write(t, name, nil)
	if err := os.Truncate(name, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := queue.OpenSamples(dir, queue.Options{}); !errors.Is(err, queuedir.ErrUnsafe) {
		t.Errorf("a huge file: error %v", err)
	}
	if got := string(read(t, victim)); got != "mine" {
		t.Errorf("the file that was linked to holds %q", got)
	}
}
