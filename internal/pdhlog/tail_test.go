package pdhlog

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// appendTo opens a copy of a log to be appended to.
func appendTo(t testing.TB, b []byte, opt Options) (*seekBuffer, *Writer) {
	t.Helper()
	tail, err := ReadTail(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}

	out := &seekBuffer{b: slices.Clone(b), at: int64(len(b))}
	opt.Tail = tail
	w, err := NewWriter(out, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out, w
}

// appendBLG appends frames to a log.
func appendBLG(t testing.TB, b []byte, opt Options, m *machine, frames ...frame.Frame) []byte {
	t.Helper()
	out, w := appendTo(t, b, opt)
	for _, f := range frames {
		if err := w.Write(f, m.names()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(len(out.b)) != w.Size() {
		t.Errorf("size %d, but the log has %d bytes", w.Size(), len(out.b))
	}
	return out.b
}

// A log that was written in three runs holds what a single one does, and its bytes of before
// except for the end in the head.
func TestAppend(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		m := newMachine(t)
		frames := flushFrames(m)
		whole, _ := writeBLG(t, opt, m, frames...)
		want := readWhole(t, whole)

		first, _ := writeBLG(t, opt, m, frames[:5]...)
		other := Options{Layout: opt.Layout, Paths: slices.Clone(opt.Paths), Location: time.FixedZone("X", 3600)}
		slices.Reverse(other.Paths)
		second := appendBLG(t, first, other, m, frames[5:6]...)
		got := appendBLG(t, second, opt, m, frames[6:]...)

		all := readWhole(t, got)
		if len(all.damage) > 0 || len(all.samples) != len(frames) || !areFirst(all.samples, want.samples) {
			t.Errorf("%d samples, want %d; damage %v", len(all.samples), len(frames), all.damage)
		}
		if !all.head.End.Equal(want.head.End) || all.head.Buffers != len(got)/opt.BufferSize {
			t.Errorf("end %v, want %v; %d buffers", all.head.End, want.head.End, all.head.Buffers)
		}
		if !bytes.Equal(got[:endAt], first[:endAt]) ||
			!bytes.Equal(got[endAt+endSize:len(first)], first[endAt+endSize:]) {
			t.Error("bytes that were there have changed")
		}
	})
}

// A program that is killed while it appends loses nothing of the log.
func TestAppendKilled(t *testing.T) {
	eachLayout(t, func(t *testing.T, opt Options) {
		m := newMachine(t)
		frames := flushFrames(m)
		first, _ := writeBLG(t, opt, m, frames[:3]...)
		out, w := appendTo(t, first, opt)
		for i, f := range frames[3:7] {
			if err := errors.Join(w.Write(f, m.names()), w.Flush()); err != nil {
				t.Fatal(err)
			}
			if all := readWhole(t, out.b); len(all.damage) > 0 || len(all.samples) != 4+i {
				t.Errorf("%d samples behind sample %d, damage %v", len(all.samples), 4+i, all.damage)
			}
		}

		if all := readWhole(t, appendBLG(t, out.b, opt, m, frames[7:]...)); len(all.samples) != len(frames) {
			t.Errorf("%d samples, want %d", len(all.samples), len(frames))
		}
	})
}

// Samples may be older than those of the log, as in text logs: the log can be appended to again.
func TestAppendOlder(t *testing.T) {
	m := newMachine(t)
	opt := Options{Paths: parsePaths(t, `\System\Processes`)}
	a, b := m.frame("a"), m.frame("a", "b")
	got, _ := writeBLG(t, opt, m, b)
	got = appendBLG(t, got, opt, m, a)
	got = appendBLG(t, got, opt, m, b)

	all := readWhole(t, got)
	if len(all.samples) != 3 || len(all.damage) != 1 || !strings.Contains(all.damage[0].Error(), "goes back") {
		t.Errorf("%d samples, damage %v", len(all.samples), all.damage)
	}
}

// Other counters are refused by name, and nothing is written.
func TestAppendOthers(t *testing.T) {
	m := newMachine(t)
	paths := func(texts ...string) Options { return Options{Paths: parsePaths(t, texts...)} }
	counters := paths(`\Process(*)\ID Process`, `\System\Processes`, `\Process(a)\% Processor Time`)
	for _, test := range []struct {
		name      string
		has, adds Options
		want      string
	}{
		{"fewer", counters, paths(`\Process(*)\ID Process`), `the file has \\HOST\System\Processes, which is not written now; `},
		{"more", paths(`\System\Processes`), counters, `the file does not have \\HOST\Process(*)\ID Process; `},
		{"another instance", paths(`\Process(a)\ID Process`), paths(`\Process(b)\ID Process`), `the file has \\HOST\Process(a)\ID Process, `},
		{"one of all", paths(`\Process(*)\ID Process`), paths(`\Process(a)\ID Process`), `the file has \\HOST\Process(*)\ID Process, `},
		{"objects", counters, Options{Layout: Objects}, `the file has \\HOST\System\Processes, `},
		{"no objects", Options{Layout: Objects}, counters, `the file has \\HOST\System\*, `},
		{"objects of which", Options{Layout: Objects}, Options{Layout: Objects, Paths: parsePaths(t, `\System\*`)}, `the file has \\HOST\Process(*)\*, `},
	} {
		before, _ := writeBLG(t, test.has, m, m.frame("a", "b"))
		refuseAppend(t, test.name, before, test.adds, m, m.frame("a", "b"), test.want)
	}

	before, _ := writeBLG(t, counters, m, m.frame("a", "b"))
	other := &machine{t: t, name: "OTHER", at: m.at}
	refuseAppend(t, "another machine", before, counters, m, other.frame("a"), `the file has \\HOST\System\Processes, `)
}

// refuseAppend checks that a frame cannot be appended to a log, which stays as it is.
func refuseAppend(t *testing.T, name string, before []byte, opt Options, m *machine, f frame.Frame, want string) {
	t.Helper()
	out, w := appendTo(t, before, opt)
	err := w.Write(f, m.names())
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%s: %v, want %s", name, err, want)
	}
	if err := w.Close(); err == nil || !bytes.Equal(out.b, before) {
		t.Errorf("%s: closed with %v; unchanged: %t", name, err, bytes.Equal(out.b, before))
	}
}

// Types, time bases and names that differ are told.
func TestAppendDiffers(t *testing.T) {
	m := newMachine(t)
	list := []Counter{{Kind: Single, Path: parsePaths(t, `\\HOST\System\Processes`)[0], Type: counter.LargeRawCount, TimeBase: 2_000_000}}
	opt := Options{Paths: parsePaths(t, `\System\Processes`)}
	before := makeBLG(t, testHead(), list, nil)
	refuseAppend(t, "type", before, opt, m, m.frame(), `\\HOST\System\Processes is of type PERF_COUNTER_LARGE_RAWCOUNT in the file, and of PERF_COUNTER_RAWCOUNT now; `)
	list[0].Type, list[0].TimeBase = counter.RawCount, 1
	before = makeBLG(t, testHead(), list, nil)
	refuseAppend(t, "time base", before, opt, m, m.frame(), `\\HOST\System\Processes counts 1 units per second in the file, and 2000000 now; `)

	opt = Options{Layout: Objects, Paths: parsePaths(t, `\System\*`)}
	before, _ = writeBLG(t, opt, m, m.frame())
	machineTitles[248] = "Programs"
	defer func() { machineTitles[248] = "Processes" }()
	refuseAppend(t, "name", before, opt, m, m.frame(), `"Programs" has the title index 248, which is "Processes" in the file; `)
}

// A log whose end is damaged is refused; what is there stays.
func TestTailDamaged(t *testing.T) {
	m := newMachine(t)
	opt := Options{Paths: parsePaths(t, `\Process(*)\ID Process`), BufferSize: 16 << 10}
	b, _ := writeBLG(t, opt, m, flushFrames(m)...)
	for cut := 1; cut < 3*opt.BufferSize; cut += 997 {
		if _, err := ReadTail(bytes.NewReader(b), int64(len(b)-cut)); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%d bytes cut off: %v", cut, err)
		}
	}

	half := slices.Clone(b)
	clear(half[len(half)-opt.BufferSize+bufferHead+eventHead:][:1000])
	if _, err := ReadTail(bytes.NewReader(half), int64(len(half))); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("a damaged sample: %v", err)
	}
	if _, err := ReadTail(strings.NewReader("no log"), 6); !errors.Is(err, ErrNoLog) {
		t.Errorf("no log: %v", err)
	}
}

// FuzzTail appends a sample to any log. If that is possible, the samples before are the same
// and the new one is there.
func FuzzTail(f *testing.F) {
	path := winperf.Path{Machine: "H", Object: "O", Counter: "C"}
	m := newMachine(f)
	small, _ := writeBLG(f, Options{Paths: parsePaths(f, `\System\Processes`), BufferSize: 16 << 10}, m, m.frame())
	f.Add(small)
	var values seekBuffer
	w, err := NewWriter(&values, Options{BufferSize: 16 << 10})
	if err != nil {
		f.Fatal(err)
	}
	list := []winperf.Reading{{Series: &winperf.Series{Path: path}, Value: counter.Float(math.Pi)}}
	if err := errors.Join(w.WriteReadings(testStart, winperf.ColumnsOf(list)), w.Close()); err != nil {
		f.Fatal(err)
	}
	f.Add(values.b)
	f.Add(values.b[:len(values.b)-9])

	f.Fuzz(func(t *testing.T, b []byte) {
		tail, err := ReadTail(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		before := readWhole(t, b)
		out := &seekBuffer{b: slices.Clone(b), at: int64(len(b))}
		w, err := NewWriter(out, Options{Tail: tail})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteReadings(testStart, winperf.ColumnsOf(list)); err != nil {
			if !bytes.Equal(out.b, b) {
				t.Fatalf("refused, and changed: %v", err)
			}
			return
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		after := readWhole(t, out.b)
		if len(after.samples) != len(before.samples)+1 || !areFirst(before.samples, after.samples) {
			t.Fatalf("%d samples, before %d", len(after.samples), len(before.samples))
		}
	})
}
