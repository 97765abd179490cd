package queue_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/queue"
)

// sample is a sample whose bytes say its number.
func sample(i int, size int) *winperf.Sample {
	text := fmt.Appendf(nil, "%08d", i)
	noise := make([]byte, size)
	random := rand.New(rand.NewPCG(uint64(i), 7))
	for k := range noise {
		noise[k] = byte(random.Uint32())
	}
	raw := winperf.Raw{Format: winperf.FormatV1, Bytes: append(text, noise...)}
	return raw.Sample()
}

// box is a queue of a test.
type box struct {
	*queue.Queue[winperf.Sample]
	reader *queue.Reader[winperf.Sample]
	t      *testing.T
	dir    string
	opt    queue.Options
	told   []string

	clock clock
}

// clock is a clock that a test moves.
type clock struct {
	now     time.Time
	elapsed time.Duration
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Elapsed() time.Duration { return c.elapsed }

// Timer implements schedule.Clock; a queue waits for nothing.
func (c *clock) Timer(time.Duration) (<-chan time.Time, func() bool) { panic("a queue waits") }

// pass lets time pass.
func (c *clock) pass(d time.Duration) { c.now, c.elapsed = c.now.Add(d), c.elapsed+d }

func open(t *testing.T, dir string, opt queue.Options) *box {
	t.Helper()
	b := &box{t: t, dir: dir, clock: clock{now: time.Now()}, opt: opt}
	b.opt.Report = func(err error) { b.told = append(b.told, err.Error()) }
	b.opt.Clock, b.opt.Readers = &b.clock, []string{"target"}
	b.reopen()
	t.Cleanup(func() { _ = b.Close() }) // some are closed before
	return b
}

func (b *box) reopen() {
	b.t.Helper()
	q, err := queue.OpenSamples(b.dir, b.opt)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Queue, b.reader = q, q.Reader("target")
}

// restart closes the queue and opens it again.
func (b *box) restart() {
	b.t.Helper()
	if err := b.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.reopen()
}

// add appends samples.
func (b *box) add(from, to, size int) {
	b.t.Helper()
	for i := from; i < to; i++ {
		if err := b.Append(sample(i, size)); err != nil {
			b.t.Fatal(err)
		}
	}
}

// rest reads all samples and returns their numbers, and the last place.
func (b *box) rest() (numbers []int, last uint64) {
	b.t.Helper()
	var s winperf.Sample
	for {
		at, err := b.reader.Next(b.t.Context(), &s)
		if errors.Is(err, io.EOF) {
			return numbers, last
		}
		if err != nil {
			b.t.Fatal(err)
		}
		var n int
		if _, err := fmt.Sscanf(string(s.Parts[0].Block.Bytes[:8]), "%d", &n); err != nil {
			b.t.Fatal(err)
		}
		if want := sample(n, len(s.Parts[0].Block.Bytes)-8); !bytes.Equal(want.Parts[0].Block.Bytes, s.Parts[0].Block.Bytes) {
			b.t.Errorf("sample %d has other bytes", n)
		}
		numbers, last = append(numbers, n), at
	}
}

func (b *box) wants(from, to int) uint64 {
	b.t.Helper()
	got, last := b.rest()
	var want []int
	for i := from; i < to; i++ {
		want = append(want, i)
	}
	if !slices.Equal(got, want) {
		b.t.Errorf("read %v, want %d to %d", got, from, to-1)
	}
	return last
}

func (b *box) done(p uint64) {
	b.t.Helper()
	_ = b.reader.Done(p) // the queue reports the error
}

// What is read follows what is appended; what is not acknowledged comes again, after a rewind
// and after a restart.
func TestFollow(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	b.wants(0, 0)
	b.add(0, 3, 50)
	first := b.wants(0, 3)
	b.add(3, 5, 50)
	b.wants(3, 5)

	b.done(first)
	b.reader.Rewind()
	b.wants(3, 5)
	b.add(5, 6, 50)
	b.wants(5, 6)
	if s := b.Stats(); s.Items != 3 || s.Dropped != 0 || s.Oldest.IsZero() || s.Bytes == 0 {
		t.Errorf("%+v", s)
	}

	b.restart()
	b.add(6, 7, 50)
	last := b.wants(3, 7)
	b.done(last)
	b.restart()
	b.wants(0, 0)
	if s := b.Stats(); s.Items != 0 || s.Bytes != 0 || !s.Oldest.IsZero() {
		t.Errorf("%+v", s)
	}
	b.add(7, 8, 50)
	b.wants(7, 8)
	if len(b.told) > 0 {
		t.Errorf("told %q", b.told)
	}
}

// One file follows another, and those that are acknowledged are removed.
func TestSegments(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{MaxBytes: 80_000})
	b.add(0, 20, 2000)
	if n := len(b.files()); n < 3 {
		t.Errorf("%d files, want several", n)
	}
	last := b.wants(0, 20)
	b.done(last)
	if n := len(b.files()); n != 1 {
		t.Errorf("%d files are left, want the one that is written", n)
	}
	b.add(20, 21, 2000)
	b.wants(20, 21)
}

func (b *box) files() []string {
	b.t.Helper()
	names, err := filepath.Glob(filepath.Join(b.dir, "*.capture"))
	if err != nil {
		b.t.Fatal(err)
	}
	return names
}

// The oldest samples are dropped where there are too many bytes, and counted; the bytes on
// the disk are bounded.
func TestMaxBytes(t *testing.T) {
	const most = 80_000
	b := open(t, t.TempDir(), queue.Options{MaxBytes: most})
	for i := range 200 {
		b.add(i, i+1, 2000)
		size := int64(0)
		for _, name := range b.files() {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
		if size > most {
			t.Fatalf("%d bytes on the disk, want at most %d", size, most)
		}
	}
	dropped := b.Stats().Dropped
	if dropped < 100 || len(b.told) == 0 || !strings.Contains(b.told[0], "were dropped") {
		t.Errorf("%d dropped, told %q", dropped, b.told)
	}
	b.wants(int(dropped), 200)
}

// A reader whose file is dropped goes on with the next one, and what it acknowledges then is
// no news.
func TestDropWhileRead(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{MaxBytes: 80_000})
	b.add(0, 1, 2000)
	first := b.wants(0, 1)
	b.add(1, 200, 2000)
	b.done(first)
	left := b.Stats().Items
	b.wants(200-left, 200)
}

// So are those that are too old; the rest stays.
func TestMaxAge(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{MaxAge: 8 * time.Hour})
	for i := range 20 {
		b.clock.pass(time.Hour)
		b.add(i, i+1, 10)
	}
	if s := b.Stats(); s.Dropped != 11 || s.Items != 9 {
		t.Errorf("%+v", s)
	}
	b.wants(11, 20)

	b.clock.pass(100 * time.Hour)
	b.restart()
	b.wants(0, 0)
	if s := b.Stats(); s.Dropped != 9 {
		t.Errorf("%+v", s)
	}
}

func TestInUse(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	if _, err := queue.OpenSamples(b.dir, queue.Options{}); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("%v, want %v", err, queue.ErrInUse)
	}
}

// A file that was cut anywhere costs the sample that it was cut in, and what follows it is
// read; files of other kinds are left alone.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		what   string
		damage func(b []byte) []byte
		want   []int
	}{
		{"cut", func(b []byte) []byte { return b[:len(b)-3] }, []int{0, 1, 3}},
		{"garbage", func([]byte) []byte { return bytes.Repeat([]byte("no capture "), 20) }, []int{3}},
		{"empty", func([]byte) []byte { return nil }, []int{3}},
		{"head", func(b []byte) []byte { return b[:20] }, []int{3}},
	} {
		b := open(t, t.TempDir(), queue.Options{})
		b.add(0, 3, 100)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		name := b.files()[0]
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(b.dir, "1.capture")
		err = errors.Join(os.WriteFile(name, c.damage(content), 0o600), os.WriteFile(other, nil, 0o600))
		if err != nil {
			t.Fatal(err)
		}

		b.reopen()
		b.add(3, 4, 100)
		got, last := b.rest()
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: read %v, want %v", c.what, got, c.want)
		}
		b.done(last)
		if _, err := os.Stat(other); err != nil {
			t.Errorf("a file that is not the queue's: %v", err)
		}
	}
}

// A position that cannot be read costs nothing: all is read again.
func TestDamagedPosition(t *testing.T) {
	damaged := map[string][]string{
		"readers": {
			"", "no", `{"readers":{"target":-5}}`, `{"readers":{"target":9223372036854775808}}`,
			`{"readers":{"target":1e99}}`, `{"readers":5}`,
		},
		"position.json": {
			"", "no", `{"segment":1,"sample":-5}`, `{"segment":1000000000000,"sample":1}`,
			`{"segment":18446744073709551615}`, `{"segment":1e99}`,
		},
	}
	for name, texts := range damaged {
		for _, text := range texts {
			b := open(t, t.TempDir(), queue.Options{})
			b.add(0, 3, 10)
			b.done(b.wants(0, 3))
			if err := os.Remove(filepath.Join(b.dir, "readers")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b.restart()
			b.wants(0, 3)
			if len(b.told) != 1 {
				t.Errorf("%s %q: told %q", name, text, b.told)
			}
		}
	}
}

// A sample that cannot be written leaves no file that holds nothing: on a full disk there would be
// one for each.
func TestAppendFailsLeavesNothing(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	for range 3 {
		var sample winperf.Sample
		perftest.ShowValues(&sample, time.Now(), nil)
		if err := b.Append(&sample); err == nil {
			t.Fatal("a sample without raw values was written")
		}
	}
	if got := b.files(); len(got) > 0 {
		t.Errorf("files %q", got)
	}

	b.add(0, 2, 10)
	b.wants(0, 2)
	if s := b.Stats(); s.Dropped != 3 || s.Items != 2 || len(b.told) > 0 {
		t.Errorf("%+v, told %q", s, b.told)
	}
}

// An empty file is what a kill or a full disk left: it goes, and nobody is told each time.
func TestEmptyFile(t *testing.T) {
	b := open(t, t.TempDir(), queue.Options{})
	b.add(0, 1, 10)
	if err := os.WriteFile(filepath.Join(b.dir, "000000000002.capture"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.restart()
	b.add(1, 2, 10)
	b.wants(0, 2)
	if got := b.files(); len(got) != 2 || filepath.Base(got[1]) != "000000000003.capture" {
		t.Errorf("files %q", got)
	}
	if len(b.told) > 0 {
		t.Errorf("told %q", b.told)
	}
}
