package pdhlog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

// journal is a file in memory that can be had as it was after any number of
// bytes, as a program that is killed leaves it.
type journal struct {
	seekBuffer
	writes []journalWrite
	tried  int
	fails  int // the write that fails, from 1, after half of its bytes
}

type journalWrite struct {
	at int64
	b  []byte
}

func (j *journal) Write(p []byte) (int, error) {
	if j.tried++; j.tried == j.fails {
		n, _ := j.seekBuffer.Write(p[:len(p)/2])
		return n, syscall.ENOSPC
	}
	j.writes = append(j.writes, journalWrite{j.at, bytes.Clone(p)})
	return j.seekBuffer.Write(p)
}

// after is the file after n writes and the first bytes of the next one.
func (j *journal) after(n, bytes int) []byte {
	var s seekBuffer
	for i, w := range j.writes[:min(n+1, len(j.writes))] {
		if i == n {
			w.b = w.b[:bytes]
		}
		s.at = w.at
		_, _ = s.Write(w.b) // into memory
	}
	return s.b
}

// flushFrames are samples of a few hundred bytes, and some of several buffers.
func flushFrames(m *machine) (frames []frame.Frame) {
	var many []string
	for i := range 400 {
		many = append(many, fmt.Sprint("process ", i))
	}
	for i := range 12 {
		frames = append(frames, m.frame(many[:[]int{1, 3, 400, 120}[i%4]]...))
	}
	return frames
}

// eachLayout calls f for both layouts, with buffers that are soon full.
func eachLayout(t *testing.T, f func(t *testing.T, opt Options)) {
	paths := parsePaths(t, `\Process(*)\ID Process`, `\System\Processes`)
	for name, opt := range map[string]Options{"counters": {Paths: paths}, "objects": {Layout: Objects}} {
		opt.BufferSize, opt.Location = 16<<10, time.UTC
		opt.GUID[0] = 1
		t.Run(name, func(t *testing.T) { f(t, opt) })
	}
}

// areFirst compares the first samples of a log with those of a whole one.
func areFirst(got, want []Sample) bool {
	return slices.EqualFunc(got, want[:min(len(got), len(want))], func(a, b Sample) bool {
		same := func(a, b Value) bool { return sameValue(&a, &b) }
		return a.Local == b.Local && slices.EqualFunc(a.Values, b.Values, same)
	})
}

// places counts the places of damage.
func places(damage []error) int {
	at := map[int64]bool{}
	for _, err := range damage {
		var where *winperf.DataError
		if errors.As(err, &where) {
			at[where.Offset] = true
		}
	}
	return len(at)
}

// TestFlush checks that a log reads whole after every Flush, with a head that
// tells its end, and is in the end the one that was never flushed.
func TestFlush(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		m := newMachine(t)
		frames := flushFrames(m)
		plain, _ := writeBLG(t, opt, m, frames...)
		want := readWhole(t, plain).samples

		var out seekBuffer
		w, err := NewWriter(&out, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range frames {
			if err := w.Write(f, m.names()); err != nil {
				t.Fatal(err)
			}
			for range 2 { // again, when there is nothing to do
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			got := readWhole(t, out.b)
			if len(got.damage) > 0 || len(got.samples) != i+1 || !areFirst(got.samples, want) {
				t.Fatalf("after %d samples the log has %d, damage %v", i+1, len(got.samples), got.damage)
			}
			if got.head.Buffers*opt.BufferSize != len(out.b) || !got.head.End.Equal(f.Time()) {
				t.Errorf("after %d samples and %d bytes the head is %+v", i+1, len(out.b), got.head)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.b, plain) {
			t.Error("a log that was flushed is not the one that was not")
		}
		if err := w.Flush(); err != nil || !bytes.Equal(out.b, plain) {
			t.Errorf("Flush after Close: %v", err)
		}
	})
}

// TestKilled cuts what a writer does after every write and within it: all
// samples that were flushed are there, and at most one is there in part.
func TestKilled(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		m := newMachine(t)
		frames := flushFrames(m)
		var out journal
		w, err := NewWriter(&out, opt)
		if err != nil {
			t.Fatal(err)
		}
		var flushed []int // by sample: the writes until it was in the file
		for _, f := range frames {
			if err := w.Write(f, m.names()); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			flushed = append(flushed, len(out.writes))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}

		// A flush writes what is new, and little more.
		written := 0
		for _, write := range out.writes {
			written += len(write.b)
		}
		if most := 2*len(out.b) + 100*(len(frames)+1); written > most {
			t.Errorf("%d bytes were written for a log of %d, want at most %d", written, len(out.b), most)
		}

		want := readWhole(t, out.b).samples
		for n := range out.writes {
			length := len(out.writes[n].b)
			for _, cut := range []int{0, 1, length / 3, length / 2, length - 1} {
				if n == 0 && cut < minBuffer {
					continue // no log yet
				}
				held, _ := slices.BinarySearch(flushed, n+1)
				got := readWhole(t, out.after(n, cut))
				if len(got.samples) < held || !areFirst(got.samples[:held], want) {
					t.Fatalf("killed in write %d after %d bytes: %d samples, damage %v; %d were flushed",
						n, cut, len(got.samples), got.damage, held)
				}
				// What is damaged is the file's end, the event and the sample that it cuts off.
				if len(got.samples) > held+1 || places(got.damage) > 3 {
					t.Fatalf("killed in write %d after %d bytes: %d samples of %d, damage %v",
						n, cut, len(got.samples), held, got.damage)
				}
			}
		}
	})
}

// TestWriteFails checks that a write that fails, whichever it is, leaves the
// samples before it whole, and Stored tells where the log can be cut off. Only what
// was not flushed is lost, however many buffers a sample lies in.
func TestWriteFails(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		m := newMachine(t)
		frames := flushFrames(m)
		plain, _ := writeBLG(t, opt, m, frames...)
		want := readWhole(t, plain).samples
		for _, every := range []int{1, 2, 3, len(frames) + 1} {
			fails := 1
			for failingWrite(t, opt, m, frames, fails, every, want) {
				fails++
			}
			if fails < 4 {
				t.Errorf("flushed every %d samples: only %d writes could fail", every, fails-1)
			}
		}
	})
}

// failingWrite writes frames, and flushes every so many of them, until one of the
// writes fails, and looks at what is left. It reports whether there was such a
// write.
func failingWrite(
	t *testing.T, opt Options, m *machine, frames []frame.Frame, fails, every int, want []Sample,
) bool {
	t.Helper()
	out := journal{fails: fails}
	w, err := NewWriter(&out, opt)
	if err != nil {
		t.Fatal(err)
	}

	written, flushed := 0, 0
	for _, f := range frames {
		if err = w.Write(f, m.names()); err != nil {
			break
		}
		if written++; written%every == 0 {
			if err = w.Flush(); err != nil {
				break
			}
			flushed = written
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		return false
	}
	if written == 0 {
		return true
	}

	got := readWhole(t, out.b[:min(w.Stored(), int64(len(out.b)))])
	all := len(got.samples) >= flushed && len(got.samples) <= written+1
	if len(got.damage) > 0 || !all || !areFirst(got.samples, want) {
		t.Fatalf("write %d fails, flushed every %d samples: %d samples, damage %v; %d were written, %d flushed",
			fails, every, len(got.samples), got.damage, written, flushed)
	}
	return true
}

// TestRefused checks that a frame that is refused costs nothing that was
// flushed before.
func TestRefused(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		m, other := newMachine(t), newMachine(t)
		other.name = "OTHER"
		var out seekBuffer
		w, err := NewWriter(&out, opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(m.frame("a"), m.names()), w.Flush()); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(other.frame("a"), m.names()); !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("another machine: %v", err)
		}
		got := readWhole(t, out.b[:w.Stored()])
		if w.Stored() != int64(len(out.b)) || len(got.samples) != 1 || len(got.damage) > 0 {
			t.Errorf("%d of %d bytes stored, %d samples, damage %v",
				w.Stored(), len(out.b), len(got.samples), got.damage)
		}
	})
}
