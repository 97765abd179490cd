package pdhlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/perfdata"
)

// TestIsLog shows by which bytes of its head an event trace file is known.
func TestIsLog(t *testing.T) {
	for _, test := range []struct {
		n      int
		form   byte
		marker byte
		want   bool
	}{
		{76, system32, marker, true}, {76, system64, marker, true}, {75, system64, marker, false},
		{76, 3, marker, false}, {76, system64, 0, false}, {76, 0, 0, false},
	} {
		head := make([]byte, test.n)
		head[bufferHead+2] = test.form
		if test.n > bufferHead+3 {
			head[bufferHead+3] = test.marker
		}
		if got := IsLog(head); got != test.want {
			t.Errorf("%d bytes, form %d, marker %#x: %v, want %v", test.n, test.form, test.marker, got, test.want)
		}
	}
}

// TestNear shows that times less than ten minutes apart can be of one sample, whichever is earlier.
func TestNear(t *testing.T) {
	const now, most = 133_485_408_000_000_000, 10 * ticksPerMinute
	for by, want := range map[int64]bool{0: true, most - 1: true, 1 - most: true, most: false, -most: false} {
		if near(now+by, now) != want {
			t.Errorf("%d ticks apart: %v, want %v", by, !want, want)
		}
	}
}

// TestMachineOfNames shows that a log is of the machine that its first names are of, also if another list came before
// the second ones.
func TestMachineOfNames(t *testing.T) {
	var r Reader
	for _, name := range []string{`\\HOST`, `\\OTHER`} {
		r.readNames(&record{data: appendUTF16Z(appendUTF16Z(nil, name), "2")})
		if r.head.Machine != "HOST" {
			t.Errorf("after names of %s: the log is of %q", name, r.head.Machine)
		}
	}
}

// TestImpossibleIndex shows that an entry with the index of an instance beyond 31 bits is damaged, unless it has none.
func TestImpossibleIndex(t *testing.T) {
	for index, want := range map[uint32]int{0: 0, 7: 7, math.MaxInt32: math.MaxInt32, 1 << 31: -1, 1<<32 - 2: -1, 1<<32 - 1: 0} {
		b := appendList(nil, testList()[:1])
		binary.LittleEndian.PutUint32(b[8+atIndex:], index)
		l := listReader{b: b, damage: new(damageList)}
		got := l.read()
		damaged := len(l.damage.Take()) > 0
		if len(got) != 1 || damaged != (want < 0) || !damaged && got[0].Path.Index != want {
			t.Errorf("index %#x: entries %+v, damaged %v", index, got, damaged)
		}
	}
}

// TestEmptyRecord shows that a record at the end of a sample that is only a head is damage of its value.
func TestEmptyRecord(t *testing.T) {
	s := Sample{Values: []Value{{Kind: Single, First: 1}}}
	b := append(appendSample(nil, &s), 'B', 'L', 3, byte(Object), recordHead, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
	r := sampleReader{rec: &record{data: b, whole: true}, gap: -1, damage: new(damageList), s: new(Sample)}
	r.read()
	v := r.s.Values
	if len(v) != 2 || v[0].First != 1 || v[1].Err == nil || !strings.Contains(v[1].Err.Error(), "0 bytes that are not") {
		t.Errorf("values %+v", v)
	}
}

// TestDamagePlaces shows where damage is in the file.
func TestDamagePlaces(t *testing.T) {
	list := testList()
	size := int64(testHead().BufferSize)
	for name, test := range map[string]struct {
		edit  edit
		place func([]Sample) int64
		text  string
	}{
		"an unknown type": {func(log []byte, s []Sample) []byte {
			log[s[1].Offset+4], log[s[1].Offset+inRecord] = 99, 0
			return log
		}, place(1, 4), "an event of the unknown type 99; it is skipped"},
		"the log's GUID": {func(log []byte, s []Sample) []byte {
			log[s[1].Offset+inPrefix] ^= 1
			return log
		}, place(1, inPrefix), "an event with the GUID {04030200-0605-0807-090a-0b0c0d0e0f10}, " +
			"expected {04030201-0605-0807-090a-0b0c0d0e0f10}"},
		"8 bytes behind the last event": {func(log []byte, s []Sample) []byte {
			used := log[size+atUsed:]
			end := binary.LittleEndian.Uint32(used)
			binary.LittleEndian.PutUint32(used, end+8)
			copy(log[size+int64(end):], []byte{0, 0, 3, marker, 16, 0, 0, 0}) // as an event of another form begins
			return log
		}, func(s []Sample) int64 { return s[2].Offset + s[2].Offset - s[1].Offset }, "8 bytes that are not an event"},
		"the head": {func(log []byte, s []Sample) []byte {
			binary.LittleEndian.PutUint16(log[bufferHead+4:], 8)
			return log
		}, func([]Sample) int64 { return bufferHead + 4 },
			fmt.Sprintf("a head of 8 bytes, expected %d to %d", systemHead, headEnd(t, list)-bufferHead)},
	} {
		log := makeBLG(t, testHead(), list, testSamples(list, 3))
		whole := readWhole(t, log).samples
		samples, damage := readDamaged(t, test.edit(log, whole))
		at := slices.IndexFunc(damage, func(err error) bool { return strings.Contains(err.Error(), test.text) })
		if at < 0 || len(samples) < 2 {
			t.Errorf("%s: %d samples, damage %v, want %s", name, len(samples), damage, test.text)
			continue
		}
		var where *winperf.DataError
		if !errors.As(damage[at], &where) || where.Offset != test.place(whole) {
			t.Errorf("%s: %v, want it at %d", name, damage[at], test.place(whole))
		}
	}
}

// headEnd is the place in the first buffer of a log where its events end.
func headEnd(t *testing.T, list []Counter) int {
	return int(binary.LittleEndian.Uint32(makeBLG(t, testHead(), list, nil)[atUsed:]))
}

// TestCopiedDefault shows that an object of a frame keeps its default counter in a copy of all counters; in a copy of
// some it has none.
func TestCopiedDefault(t *testing.T) {
	m := newMachine(t)
	block, err := perfdata.Parse(bytes.Clone(bytesOf(m.frame("a"))), 0)
	if err != nil {
		t.Fatal(err)
	}
	block.Objects[1].DefaultCounter = 1
	encoded, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: encoded}.Sample(), frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}

	o := f.Object(1)
	var all []int
	for k := range o.NumCounters() {
		all = append(all, k)
	}
	if whole, some := objectOf(o, all), objectOf(o, all[:2]); whole.DefaultCounter != 1 || some.DefaultCounter != -1 {
		t.Errorf("default counters %d and %d, want 1 and -1", whole.DefaultCounter, some.DefaultCounter)
	}
}

// TestLateBound shows that no more late paths are told apart than maxLate.
func TestLateBound(t *testing.T) {
	v := values{late: map[string]struct{}{}}
	for i := range maxLate - 1 {
		v.late[fmt.Sprint(i)] = struct{}{}
	}
	for _, path := range []string{`\A(1)\B`, `\A(2)\B`} {
		columns := winperf.ColumnsOf([]winperf.Reading{reading(t, path, counter.Int(1), counter.OK)})
		v.fill(columns, 0)
	}
	if len(v.late) != maxLate {
		t.Errorf("%d late paths, want %d", len(v.late), maxLate)
	}
}

// TestWriterSameName shows that an entry ends with its process, though another one has taken its name and place.
func TestWriterSameName(t *testing.T) {
	m := newMachine(t)
	var frames []frame.Frame
	var before frame.Frame
	for n, pid := range []int{4, 4, 5, 5} {
		text, err := perfdata.ParseText([]byte(fmt.Sprintf(`block name="HOST" perftime=%d perffreq=1000 time100ns=%d
object 230
  counter 784 PERF_COUNTER_RAWCOUNT
  counter 684 PERF_ELAPSED_TIME
  instance "a" : %d %d
`, n*1000, winperf.ToFiletime(m.at.Add(time.Duration(n)*time.Second)), pid, winperf.ToFiletime(m.at)+int64(pid))))
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := text.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: encoded}.Sample(), before)
		if err = errors.Join(err, f.Keep()); err != nil {
			t.Fatal(err)
		}
		frames, before = append(frames, f), f
	}

	log, _ := writeBLG(t, Options{Paths: parsePaths(t, `\Process(a)\ID Process`), Location: time.UTC}, m, frames...)
	var got []string
	for _, s := range readWhole(t, log).samples {
		got = append(got, texts(&s)...)
	}
	const path = `\\HOST\Process(a)\ID Process: `
	want := []string{path + "4/0*1", path + "4/0*1", path + "status 0x800007d1", path + "status 0x800007d1"}
	if !slices.Equal(got, want) {
		t.Errorf("values %q, want %q", got, want)
	}
}
