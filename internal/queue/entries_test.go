package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/schedule"
)

// entry is an item with its number.
type entry struct {
	Number uint64
	Data   []byte
}

// box is a queue of entries of a test.
type box struct{ *Queue[[]byte] }

// reader is a reader of it.
type reader struct{ *Reader[[]byte] }

// state is what a test asks of it.
type state struct {
	Stats
	Last uint64 // the highest number
}

func openBox(dir string, o Options) (*box, error) {
	q, err := OpenEntries(dir, o)
	return &box{q}, err
}

func openEntries(t *testing.T, dir string, o Options) *box {
	t.Helper()
	b, err := openBox(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() }) // most are closed before
	return b
}

func (b *box) Append(data ...[]byte) (last uint64, err error) {
	items := make([]*[]byte, len(data))
	for i := range data {
		items[i] = &data[i]
	}
	if err := b.Queue.Append(items...); err != nil {
		return 0, err
	}
	return b.State().Last, nil
}

func (b *box) State() state { return state{b.Stats(), b.last} }

func (b *box) Reader(name string) reader { return reader{b.Queue.Reader(name)} }

// Read reads up to so many entries, and counts those that are missing in front of them.
func (r reader) Read(most int) (entries []entry, lost uint64, err error) {
	for len(entries) < most {
		before := r.After()
		var data []byte
		number, err := r.Next(context.Background(), &data)
		if errors.Is(err, io.EOF) {
			return entries, lost, nil
		}
		if err != nil {
			return nil, lost, err
		}
		lost += number - before - 1
		entries = append(entries, entry{number, data})
	}
	return entries, lost, nil
}

// texts makes data that tell their number.
func texts(from, to int) (all [][]byte) {
	for n := from; n <= to; n++ {
		all = append(all, fmt.Appendf(nil, "entry %d", n))
	}
	return all
}

// expect reads everything there is and compares it with the entries of texts.
func expect(t *testing.T, r reader, lost uint64, numbers ...int) {
	t.Helper()
	var got []int
	var missing uint64
	for {
		entries, n, err := r.Read(3)
		if err != nil {
			t.Fatal(err)
		}
		missing += n
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			if string(e.Data) != fmt.Sprintf("entry %d", e.Number) {
				t.Errorf("entry %d has %q", e.Number, e.Data)
			}
			got = append(got, int(e.Number))
		}
	}
	if !slices.Equal(got, numbers) || missing != lost {
		t.Errorf("read %v and %d lost, want %v and %d", got, missing, numbers, lost)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func appendAll(t *testing.T, s *box, all [][]byte) {
	t.Helper()
	for _, d := range all {
		if _, err := s.Append(d); err != nil {
			t.Fatal(err)
		}
	}
}

// Two readers go on where they were, each for itself, also in another run.
func TestReaders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	o := Options{Readers: []string{"a", "b"}, Segment: 200}
	s := openEntries(t, dir, o)
	if last, err := s.Append(texts(1, 4)...); last != 4 || err != nil {
		t.Fatal(last, err)
	}
	appendAll(t, s, texts(5, 10))
	a := s.Reader("a")
	expect(t, a, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	a.Rewind()
	expect(t, a, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	must(t, a.Done(7))
	must(t, a.Done(3)) // later than its time
	must(t, s.Reader("b").Done(2))
	if got := s.State(); got.Items != 8 || got.Last != 10 {
		t.Errorf("%+v", got)
	}
	must(t, s.Close())
	must(t, s.Close())

	s = openEntries(t, dir, o)
	expect(t, s.Reader("a"), 0, 8, 9, 10)
	expect(t, s.Reader("b"), 0, 3, 4, 5, 6, 7, 8, 9, 10)
	appendAll(t, s, texts(11, 11))
	must(t, s.Reader("a").Done(11))
	must(t, s.Reader("b").Done(11))
	if got := s.State(); got.Items != 0 || got.Bytes > 200 {
		t.Errorf("what all have forgotten is there: %+v", got)
	}
	must(t, s.Close())

	// A reader that is not named any more keeps nothing; a new one begins with what is there.
	s = openEntries(t, dir, Options{Readers: []string{"c"}})
	expect(t, s.Reader("c"), 10, 11)
}

func TestInUse(t *testing.T) {
	dir := t.TempDir()
	s := openEntries(t, dir, Options{})
	if _, err := OpenEntries(dir, Options{}); !errors.Is(err, ErrInUse) {
		t.Errorf("a second one: %v", err)
	}
	must(t, s.Close())
	if _, err := s.Append(nil); !errors.Is(err, winperf.ErrState) {
		t.Errorf("append after Close: %v", err)
	}
	if _, _, err := s.Reader("x").Read(1); !errors.Is(err, winperf.ErrState) {
		t.Errorf("read after Close: %v", err)
	}
	must(t, openEntries(t, dir, Options{}).Remove())
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory is there:", err)
	}
}

// movedClock is a clock that a test sets ahead.
type movedClock struct {
	schedule.Clock
	ahead time.Duration
}

func (c *movedClock) Now() time.Time         { return c.Clock.Now().Add(c.ahead) }
func (c *movedClock) Elapsed() time.Duration { return c.Clock.Elapsed() + c.ahead }

// What finds no space is the oldest, and is counted; what all have forgotten is no loss.
func TestBounds(t *testing.T) {
	clock := &movedClock{Clock: schedule.OrSystem(nil)}
	o := Options{
		MaxBytes: 1000, Segment: 200, MaxAge: time.Hour, Readers: []string{"a"}, Clock: clock,
	}
	dir := t.TempDir()
	s := openEntries(t, dir, o)
	r := s.Reader("a")
	appendAll(t, s, texts(1, 4))
	expect(t, r, 0, 1, 2, 3, 4)
	must(t, r.Done(2))
	appendAll(t, s, texts(5, 100))
	state := s.State()
	if state.Bytes > 1000 || state.Dropped != 100-2-uint64(state.Items) {
		t.Errorf("%+v", state)
	}
	entries, lost, err := r.Read(1)
	if err != nil || lost+4+1 != entries[0].Number {
		t.Errorf("%d lost before %v, %v", lost, entries, err)
	}
	if _, err := s.Append(make([]byte, 1001)); err == nil {
		t.Error("an entry that is larger than the queue was taken")
	}

	// What is too old goes when something is appended.
	clock.ahead += 2 * time.Hour
	appendAll(t, s, texts(101, 130))
	must(t, s.Close())
	s = openEntries(t, dir, o)
	if got := s.State(); got.DroppedBefore < state.Dropped+uint64(state.Items) {
		t.Errorf("dropped %d, before that %d and %d waited", got.DroppedBefore, state.Dropped, state.Items)
	}
}

// firstName is the name of the first segment.
const firstName = "00000000000000000001.segment"

func onlySegment(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.segment"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files[0]
}

// Of more than the queue may hold at once the last ones are kept, and the others are counted.
func TestMoreThanAll(t *testing.T) {
	dir := t.TempDir()
	s := openEntries(t, dir, Options{MaxBytes: 10 * (entryHead + 8), Segment: 100, Readers: []string{"a"}})
	for _, err := range []error{second(s.Append(texts(1, 3)...)), second(s.Append(texts(4, 50)...))} {
		must(t, err)
	}
	state := s.State()
	if state.Last != 50 || state.Dropped != 40 || state.Bytes > 10*(entryHead+8) {
		t.Errorf("%+v", state)
	}
	expect(t, s.Reader("a"), 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50)
	if last, err := s.Append(make([]byte, 1000)); err == nil || last != 0 {
		t.Errorf("%d, error %v", last, err)
	}
	must(t, s.Close())

	again := openEntries(t, dir, Options{Readers: []string{"a"}})
	must(t, second(again.Append(texts(51, 51)...)))
	expect(t, again.Reader("a"), 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51)
}

func second(_ uint64, err error) error { return err }

// A segment may end anywhere: what is whole is there, and nothing else.
func TestTornTail(t *testing.T) {
	whole := t.TempDir()
	s := openEntries(t, whole, Options{})
	appendAll(t, s, texts(1, 3))
	must(t, s.Close())
	name := onlySegment(t, whole)
	data, err := os.ReadFile(name)
	must(t, err)

	size := len(data) / 3
	for end := range data {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), data[:end], 0o600))
		s := openEntries(t, dir, Options{Readers: []string{"a"}})
		left, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
		if err != nil && end >= size || len(left) != end-end%size {
			t.Errorf("%d bytes of %d: %d are left, error %v", end, len(data), len(left), err)
		}
		appendAll(t, s, texts(end/size+1, end/size+1))
		var want []int
		for n := 1; n <= end/size+1; n++ {
			want = append(want, n)
		}
		expect(t, s.Reader("a"), 0, want...)
		must(t, s.Close())
	}
}

// A byte that is wrong costs the entry that it is in, and the loss is counted.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	s := openEntries(t, dir, Options{Readers: []string{"a"}})
	appendAll(t, s, texts(1, 3))
	name := onlySegment(t, dir)
	data, err := os.ReadFile(name)
	must(t, err)
	size := len(data) / 3
	for i := range size {
		damaged := slices.Clone(data)
		damaged[size+i] ^= 0x40
		must(t, os.WriteFile(name, damaged, 0o600))
		expect(t, s.Reader("a"), 1, 1, 3)
	}
	must(t, os.WriteFile(name, data, 0o600))
	expect(t, s.Reader("a"), 0, 1, 2, 3)
}

// How far readers were may be lost: then they get everything again. A number that was
// given once is not given again.
func TestReadersFile(t *testing.T) {
	dir := t.TempDir()
	o := Options{Readers: []string{"a"}}
	s := openEntries(t, dir, o)
	appendAll(t, s, texts(1, 3))
	must(t, s.Reader("a").Done(3))
	must(t, s.Close())
	must(t, os.Truncate(onlySegment(t, dir), 0)) // as a power failure may do it
	s = openEntries(t, dir, o)
	appendAll(t, s, texts(4, 4))
	expect(t, s.Reader("a"), 0, 4)
	must(t, s.Close())

	must(t, os.WriteFile(filepath.Join(dir, "readers"), []byte(`{"readers":{"a`), 0o600))
	var reported []error
	o.Report = func(err error) { reported = append(reported, err) }
	s = openEntries(t, dir, o)
	expect(t, s.Reader("a"), 3, 4)
	if len(reported) != 1 {
		t.Errorf("reported %v", reported)
	}
}

// Whatever bytes are in a segment, a queue opens, gives no entry twice, and goes on.
func FuzzSegment(f *testing.F) {
	var whole []byte
	for n := range uint64(3) {
		whole = appendEntry(whole, n+1, time.Unix(1, 0), fmt.Appendf(nil, "entry %d", n+1))
	}
	f.Add(whole)
	f.Add(whole[40:])
	f.Add(append([]byte("wpspwpsp"), whole...))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, firstName), data, 0o600))
		s, err := openBox(dir, Options{Readers: []string{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		last, err := s.Append([]byte("new"))
		if err != nil {
			t.Fatal(err)
		}
		r := s.Reader("a")
		before := uint64(0)
		for {
			entries, _, err := r.Read(10)
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) == 0 {
				break
			}
			for _, e := range entries {
				if e.Number <= before {
					t.Fatalf("%d behind %d", e.Number, before)
				}
				before = e.Number
			}
		}
		if before != last {
			t.Fatalf("the last one is %d, want %d", before, last)
		}
	})
}

// The reference is a file that is written without checks, sums or limits.
func BenchmarkAppend(b *testing.B) {
	data := make([]byte, 2000)
	b.Run("queue", func(b *testing.B) {
		s, err := openBox(b.TempDir(), Options{MaxBytes: 64 << 20, Sync: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Append(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("file", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "file"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := f.WriteAt(data, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
