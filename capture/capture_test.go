package capture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
)

var schema = &winperf.Schema{
	Interface: "registry",
	Costly:    []uint32{232, 786},
	Names: []winperf.NameTable{
		{Language: "009", Counter: bytes.Repeat([]byte("2\x00\x00\x00S\x00\x00\x00"), 200), Help: []byte("help")},
		{Language: "007", Counter: []byte("x"), Help: []byte{}},
	},
	Sets: []winperf.CounterSet{{GUID: winperf.GUID{1, 2, 3}, Title: 70000, Info: []byte("info")}},
	Interfaces: map[uint32]string{
		70000: "perflib", 1 << 25: "pdh", 1<<25 + 2: "pdh", 3: "", 4: "\xff",
	},
}

// samples are blocks of a machine where processes come and go.
func samples(size perftest.Size, n int) []winperf.Raw {
	var raws []winperf.Raw
	for _, s := range perftest.Series(size, n, 5, 1) {
		raws = append(raws, winperf.Raw{Format: winperf.FormatV1, Bytes: s.Bytes, Schema: schema})
	}
	return raws
}

func write(t testing.TB, raws []winperf.Raw, opt capture.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, opt)
	for i := range raws {
		if err := w.Write(raws[i].Sample()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Size() != int64(b.Len()) {
		t.Fatalf("Size is %d, %d bytes were written", w.Size(), b.Len())
	}
	return b.Bytes()
}

func open(t testing.TB, b []byte) *capture.File {
	t.Helper()
	f, err := capture.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rest reads all samples from a cursor on.
func rest(t testing.TB, c *capture.Cursor) []winperf.Raw {
	t.Helper()
	var raws []winperf.Raw
	for {
		var raw winperf.Raw
		err := capture.NextRaw(context.Background(), c, &raw)
		if errors.Is(err, io.EOF) {
			return raws
		}
		if err != nil {
			t.Fatal(err)
		}
		raws = append(raws, raw)
	}
}

// difference is that of two samples, "" where they are the same.
func difference(want, got winperf.Raw) string {
	if bytes.Equal(want.Bytes, got.Bytes) { // empty or nil
		want.Bytes, got.Bytes = nil, nil
	}
	if want.Bytes != nil || got.Bytes != nil {
		return "the bytes differ"
	}
	if reflect.DeepEqual(want, got) { // which is quicker
		return ""
	}
	return cmp.Diff(want, got)
}

// same compares what was read with what was written.
func same(t testing.TB, got, want []winperf.Raw) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d", len(got), len(want))
	}
	for i := range got {
		if diff := difference(want[i], got[i]); diff != "" {
			t.Fatalf("sample %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	other := &winperf.Schema{Interface: "local"}
	desktop := samples(perftest.Small, 30)
	odd := []winperf.Raw{
		{Format: winperf.FormatV1, Bytes: []byte("no block"), Schema: schema},
		{Format: winperf.FormatNone},
		{Format: 200, Quirks: winperf.TotalExcludesHeader, Bytes: []byte{1}, Clocks: counter.Clocks{PerfTime: 1, PerfFreq: 2, Time100ns: 3, ObjectTime: 4, ObjectFreq: -5}, Schema: other},
		desktop[0],
		{Format: winperf.FormatV1, Bytes: desktop[0].Bytes[:1001], Schema: schema},
		{Format: winperf.FormatV1, Bytes: bytes.Repeat(desktop[0].Bytes, 5)},
	}
	reversed := slices.Clone(desktop[:10])
	slices.Reverse(reversed)
	for name, raws := range map[string][]winperf.Raw{
		"none": nil, "one": desktop[:1], "group": desktop[:10], "groups": desktop, "odd": odd, "reversed": reversed,
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, write(t, raws, capture.Options{GroupSamples: 10}))
			c := f.Cursor()
			got := rest(t, c)
			same(t, got, raws)
			if damage := c.Damage(); len(damage) > 0 {
				t.Errorf("damage: %v", damage)
			}
			if f.Samples() != len(raws) || !f.Tail().Closed {
				t.Errorf("%d samples, closed %v", f.Samples(), f.Tail().Closed)
			}
			for i := 1; i < len(got); i++ {
				if raws[i].Schema == raws[i-1].Schema && got[i].Schema != got[i-1].Schema {
					t.Fatalf("sample %d has another schema than the one before", i)
				}
			}
		})
	}
}

// TestDamagedNames checks that what was wrong with names is kept, also from one
// capture into the next.
func TestDamagedNames(t *testing.T) {
	harmless := &winperf.DataError{Source: "names", Offset: -1, Msg: "harmless", Warning: true}
	raw := winperf.Raw{Bytes: []byte("x"), Schema: &winperf.Schema{Damage: []error{harmless, errors.New("lost")}}}
	for range 2 {
		raw = rest(t, open(t, write(t, []winperf.Raw{raw}, capture.Options{})).Cursor())[0]
		var texts []string
		for _, err := range raw.Schema.Damage {
			var e *winperf.DataError
			texts = append(texts, fmt.Sprint(err, errors.As(err, &e) && e.Warning, errors.Is(err, winperf.ErrBadData)))
		}
		want := []string{"when it was recorded: names: harmless true true", "when it was recorded: lost false true"}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Error(diff)
		}
	}
}

// TestReal checks blocks of Windows.
func TestReal(t *testing.T) {
	var raws []winperf.Raw
	for _, block := range perftest.Captures(t) {
		raws = append(raws, winperf.Raw{Format: winperf.FormatV1, Bytes: block})
	}
	same(t, rest(t, open(t, write(t, raws, capture.Options{})).Cursor()), raws)
}

// TestCut cuts a capture at every byte: all complete samples are there, and
// what is left of another one is told.
func TestCut(t *testing.T) {
	raws := small()
	whole := write(t, raws, capture.Options{GroupSamples: 3})
	ends := sampleEnds(t, raws, capture.Options{GroupSamples: 3})
	records := recordEnds(whole)
	for n := range whole {
		f := open(t, whole[:n])
		c := f.Cursor()
		got := rest(t, c)
		complete := 0
		for complete < len(ends) && ends[complete] <= n {
			complete++
		}
		same(t, got, raws[:complete])
		damage := c.Damage()
		if clean := n == 0 || slices.Contains(records, n); clean != (len(damage) == 0) {
			t.Fatalf("cut at %d: damage %v", n, damage)
		}
		if f.Samples() != complete || f.Tail().Offset+f.Tail().Broken != int64(n) {
			t.Fatalf("cut at %d: %d samples, tail %+v", n, f.Samples(), f.Tail())
		}
		if n%5 != 0 && !slices.Contains(records, n) { // each writer takes its time
			continue
		}
		resumed := resume(t, whole[:n], raws[complete:])
		c = open(t, resumed).Cursor()
		same(t, rest(t, c), raws)
		if damage := c.Damage(); len(damage) > 0 {
			t.Fatalf("cut at %d and resumed: %v", n, damage)
		}
	}
}

// sampleEnds are the sizes of the file after each sample reached the writer
// below.
func sampleEnds(t *testing.T, raws []winperf.Raw, opt capture.Options) []int {
	t.Helper()
	var calls writeCalls
	w := capture.NewWriter(&calls, opt)
	var ends []int
	for i := range raws {
		calls.sizes = calls.sizes[:0]
		if err := w.Write(raws[i].Sample()); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, calls.sizes[0])
	}
	return ends
}

// writeCalls notes how much was written after each call.
type writeCalls struct {
	size  int
	sizes []int
}

func (w *writeCalls) Write(p []byte) (int, error) {
	w.size += len(p)
	w.sizes = append(w.sizes, w.size)
	return len(p), nil
}

// recordEnds are the places where records end, and the beginning of the file.
func recordEnds(b []byte) []int {
	ends := []int{24}
	for at := 24; at < len(b); {
		at += 48 + int(uint32(b[at+12])|uint32(b[at+13])<<8|uint32(b[at+14])<<16|uint32(b[at+15])<<24)
		ends = append(ends, at)
	}
	return ends
}

// resume appends samples to a capture that was cut off.
func resume(t *testing.T, b []byte, raws []winperf.Raw) []byte {
	t.Helper()
	tail := open(t, b).Tail()
	buf := bytes.NewBuffer(bytes.Clone(b[:tail.Offset]))
	w := capture.NewWriter(buf, capture.Options{GroupSamples: 3, Tail: tail})
	for i := range raws {
		if err := w.Write(raws[i].Sample()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f := open(t, buf.Bytes())
	if f.Samples() != w.Samples() || !f.Tail().Closed {
		t.Fatalf("%d samples, want %d", f.Samples(), w.Samples())
	}
	return buf.Bytes()
}

// TestFlip changes each byte of a capture: at most one sample is lost, no other
// one is different, and the damage is told with its place.
func TestFlip(t *testing.T) {
	raws := small()[:5]
	whole := write(t, raws, capture.Options{GroupSamples: 2})
	for n := range whole {
		b := bytes.Clone(whole)
		b[n] ^= 0x55
		f, err := capture.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatalf("byte %d: %v", n, err)
		}
		c := f.Cursor()
		got := rest(t, c)
		damage := c.Damage()
		lost := 0
		for i := range raws {
			if i-lost >= len(got) || !bytes.Equal(got[i-lost].Bytes, raws[i].Bytes) {
				lost++
			} else if diff := difference(raws[i], got[i-lost]); diff != "" {
				t.Fatalf("byte %d, sample %d: %s", n, i, diff)
			}
		}
		if lost > 1 || len(got) != len(raws)-lost {
			t.Fatalf("byte %d: %d of %d samples", n, len(got), len(raws))
		}
		if len(damage) == 0 {
			t.Fatalf("byte %d: nothing is told", n)
		}
		for _, err := range damage {
			var d *winperf.DataError
			if !errors.As(err, &d) || !errors.Is(err, winperf.ErrBadData) || d.Offset > int64(n) || d.Offset+d.Len <= int64(n) {
				t.Fatalf("byte %d: damage %+v", n, err)
			}
		}
	}
}

// TestHole takes bytes out of a capture, and puts others in.
func TestHole(t *testing.T) {
	raws := samples(perftest.Small, 8)
	whole := write(t, raws, capture.Options{GroupSamples: 3})
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		at, n := 24+r.IntN(len(whole)-24), 1+r.IntN(400)
		for name, b := range map[string][]byte{
			"out": slices.Concat(whole[:at], whole[min(at+n, len(whole)):]),
			"in":  slices.Concat(whole[:at], bytes.Repeat([]byte{0xc5}, n), whole[at:]),
		} {
			c := open(t, b).Cursor()
			got := rest(t, c)
			if len(got) < len(raws)-2 {
				t.Fatalf("%s at %d, %d bytes: %d of %d samples", name, at, n, len(got), len(raws))
			}
			if len(c.Damage()) == 0 {
				t.Fatalf("%s at %d, %d bytes: nothing is told", name, at, n)
			}
			for i := range got {
				if !slices.ContainsFunc(raws, func(raw winperf.Raw) bool { return bytes.Equal(raw.Bytes, got[i].Bytes) }) {
					t.Fatalf("%s at %d, %d bytes: sample %d is none that was written", name, at, n, i)
				}
			}
		}
	}
}

func TestSeek(t *testing.T) {
	raws := samples(perftest.Small, 12)
	whole := write(t, raws, capture.Options{GroupSamples: 5})
	for name, b := range map[string][]byte{"closed": whole, "not closed": whole[:len(whole)-1]} {
		f := open(t, b)
		c := f.Cursor()
		for n := range raws {
			if err := c.SeekSample(n); err != nil {
				t.Fatal(err)
			}
			same(t, rest(t, c), raws[n:])
			for _, d := range []time.Duration{-time.Millisecond, 0} {
				if err := c.SeekTime(capture.Time(raws[n].Sample()).Add(d)); err != nil {
					t.Fatal(err)
				}
				same(t, rest(t, c), raws[max(n-1, 0):])
			}
		}
		if err := c.SeekSample(len(raws)); err != nil || len(rest(t, c)) != 0 {
			t.Errorf("%s: behind the end: %v", name, err)
		}
		if err := c.SeekTime(capture.Time(raws[11].Sample()).Add(time.Hour)); err != nil || len(rest(t, c)) != 1 {
			t.Errorf("%s: after the last time: %v", name, err)
		}
	}
}

// TestIndexDamaged checks that a broken index is made again.
func TestLostRecords(t *testing.T) {
	raws := samples(perftest.Small, 8)
	opt := capture.Options{GroupSamples: 100}
	whole := write(t, raws, opt)
	ends := sampleEnds(t, raws, opt)
	at, next := ends[3], ends[4] // of a sample that the ones behind it do not need
	garbage := bytes.Repeat([]byte{0xc5}, next-at)
	for _, tt := range []struct {
		name string
		file []byte
		want int // samples
		says string
	}{
		{"garbage between two records", slices.Concat(whole[:at], garbage[:100], whole[at:]), 8, "100 bytes are not a record"},
		{"garbage in place of a record", slices.Concat(whole[:at], garbage, whole[next:]), 7,
			fmt.Sprint(next-at, " bytes are not a record; 1 records are lost")},
		{"a payload without some of its bytes", slices.Concat(whole[:next-20], whole[next-10:]), 7, ""},
	} {
		c := open(t, tt.file).Cursor()
		got := rest(t, c)
		damage := c.Damage()
		if len(got) != tt.want || len(damage) != 1 {
			t.Errorf("%s: %d samples, damage %v", tt.name, len(got), damage)
			continue
		}
		var place *winperf.DataError
		if !errors.As(damage[0], &place) || tt.says != "" && place.Msg != tt.says {
			t.Errorf("%s: damage %v, want %q", tt.name, damage[0], tt.says)
		}
	}
}

func TestIndexDamaged(t *testing.T) {
	raws := samples(perftest.Small, 20)
	b := write(t, raws, capture.Options{GroupSamples: 5})
	at := 0
	for _, end := range recordEnds(b)[:len(recordEnds(b))-1] {
		if b[end+4] == 4 {
			at = end
			break
		}
	}
	b[at+50]++
	f := open(t, b)
	c := f.Cursor()
	if err := c.SeekSample(17); err != nil || f.Samples() != 20 {
		t.Fatal(f.Samples(), err)
	}
	same(t, rest(t, c), raws[17:])
}

// TestSchemaDamaged checks that names are there twice, also in a short capture.
func TestSchemaDamaged(t *testing.T) {
	help := make([]byte, 5000)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range help {
		help[i] = byte(r.Uint32())
	}
	for _, n := range []int{1, 3, 4} {
		raws := small()[:n]
		for i := range raws {
			raws[i].Schema = &winperf.Schema{Interface: fmt.Sprint(i / 2), Names: []winperf.NameTable{{Language: "009", Counter: []byte("1"), Help: help}}}
		}
		b := write(t, raws, capture.Options{GroupSamples: 3})
		b[bytes.Index(b, help[:100])]++
		c := open(t, b).Cursor()
		same(t, rest(t, c), raws)
		if damage := c.Damage(); len(damage) != 1 {
			t.Errorf("%d samples: damage %v", n, damage)
		}
		if err := c.SeekSample(n - 1); err != nil {
			t.Fatal(err)
		}
		same(t, rest(t, c), raws[n-1:])
	}
}

// TestSchemaLost checks samples whose names are gone.
func TestSchemaLost(t *testing.T) {
	raws := small()[:2]
	b := write(t, raws, capture.Options{})
	ends := recordEnds(b)
	for _, at := range ends[:len(ends)-1] {
		if b[at+4] == 1 {
			b[at+48]++
		}
	}
	c := open(t, b).Cursor()
	got := rest(t, c)
	if len(got) != 2 || !bytes.Equal(got[1].Bytes, raws[1].Bytes) || got[0].Schema != got[1].Schema || len(got[0].Schema.Damage) != 1 || len(c.Damage()) != 2 {
		t.Errorf("%d samples, %+v", len(got), got[0].Schema)
	}
}

// TestAppend appends again and again, to closed captures.
func TestAppend(t *testing.T) {
	raws := samples(perftest.Small, 30)
	b := write(t, raws[:10], capture.Options{GroupSamples: 3})
	one := len(b)
	b = resume(t, b, raws[10:20])
	b = resume(t, b, raws[20:])
	same(t, rest(t, open(t, b).Cursor()), raws)
	c := open(t, b).Cursor()
	if err := c.SeekSample(25); err != nil {
		t.Fatal(err)
	}
	same(t, rest(t, c), raws[25:])
	if text := schema.Names[0].Counter; bytes.Contains(b, text[:len(text)/2]) { // ids and checksums are random
		t.Errorf("the names are not compressed")
	}
	if len(b) > 3*one {
		t.Errorf("three parts have %d bytes, the first alone %d", len(b), one)
	}
}

// TestFailingWriter fails at many places: what was written before can be read,
// and the error comes again.
func TestFailingWriter(t *testing.T) {
	raws := small()
	whole := write(t, raws, capture.Options{GroupSamples: 2})
	for limit := 0; limit < len(whole); limit += 7 {
		d := &disk{limit: limit}
		w := capture.NewWriter(d, capture.Options{GroupSamples: 2})
		written := 0
		var err error
		for i := range raws {
			if err = w.Write(raws[i].Sample()); err != nil {
				break
			}
			written++
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, errFull) || !errors.Is(w.Close(), errFull) {
			t.Fatalf("%d bytes: %v", limit, err)
		}
		for _, b := range [][]byte{d.b, d.b[:w.Size()]} {
			f := open(t, b)
			c := f.Cursor()
			got := rest(t, c)
			if len(got) < written {
				t.Fatalf("%d bytes: %d samples, want %d", limit, len(got), written)
			}
			same(t, got, raws[:len(got)])
			if damage := c.Damage(); int64(len(b)) == w.Size() && len(damage) > 0 {
				t.Fatalf("%d bytes, cut: %v", limit, damage)
			}
		}
	}
}

var errFull = errors.New("no space left")

// disk takes so many bytes.
type disk struct {
	b     []byte
	limit int
}

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), d.limit-len(d.b))
	d.b = append(d.b, p[:n]...)
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// After each call of the underlying writer the file is whole, and has one sample more at most.
func TestOneCall(t *testing.T) {
	raws := small()
	var file []byte
	samples := 0
	w := capture.NewWriter(writerFunc(func(b []byte) (int, error) {
		file = append(file, b...)
		f := open(t, file)
		if f.Samples() > samples+1 || f.Tail().Broken > 0 {
			t.Errorf("%d samples after %d, tail %+v", f.Samples(), samples, f.Tail())
		}
		samples = f.Samples()
		return len(b), nil
	}), capture.Options{GroupSamples: 3})

	for i := range raws {
		if err := w.Write(raws[i].Sample()); err != nil || samples != i+1 {
			t.Fatalf("%d samples are written of %d, error %v", samples, i+1, err)
		}
	}
	same(t, rest(t, open(t, file).Cursor()), raws)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// The error of a file that cannot be read is the file's.
func TestOpenFails(t *testing.T) {
	whole := write(t, small(), capture.Options{})
	for fails := range int64(3) {
		reads := int64(0)
		_, err := capture.Open(readerFunc(func(b []byte, at int64) (int, error) {
			if reads++; reads > fails {
				return 0, errFull
			}
			return bytes.NewReader(whole).ReadAt(b, at)
		}), int64(len(whole)))
		if !errors.Is(err, errFull) || errors.Is(err, winperf.ErrBadData) {
			t.Errorf("read %d fails: %v", fails+1, err)
		}
	}
}

// A cursor whose reader fails now and then goes on where it was: no sample is lost, and none comes twice.
func TestReaderFails(t *testing.T) {
	raws := small()
	whole := write(t, raws, capture.Options{GroupSamples: 3})
	reads, every := 0, 0
	f, err := capture.Open(readerFunc(func(b []byte, at int64) (int, error) {
		if reads++; every > 0 && reads%every == 0 {
			return 0, errFull
		}
		return bytes.NewReader(whole).ReadAt(b, at)
	}), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}

	for _, every = range []int{2, 3, 5} {
		c := f.Cursor()
		var got []winperf.Raw
		for failed := 0; ; {
			var s winperf.Sample
			err := c.Next(t.Context(), &s)
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				got = append(got, s.Parts[0].Block.Raw)
				got[len(got)-1].Schema = s.Schema
			} else if failed++; !errors.Is(err, errFull) || failed > 1000 {
				t.Fatal(err)
			}
		}
		same(t, got, raws)
		if damage := c.Damage(); len(damage) > 0 {
			t.Errorf("each %d. read fails: damage %v", every, damage)
		}
	}
}

type readerFunc func([]byte, int64) (int, error)

func (f readerFunc) ReadAt(b []byte, at int64) (int, error) { return f(b, at) }

func TestClosed(t *testing.T) {
	w := capture.NewWriter(io.Discard, capture.Options{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(winperf.Raw{}.Sample()); !errors.Is(err, winperf.ErrState) {
		t.Errorf("writing after Close: %v", err)
	}
}

func TestNoCapture(t *testing.T) {
	for text, want := range map[string]error{
		"PERF": winperf.ErrBadData, strings.Repeat("(PDH-CSV 4.0)", 10000): winperf.ErrBadData,
		string(make([]byte, 100)): winperf.ErrBadData,
	} {
		if _, err := capture.Open(strings.NewReader(text), int64(len(text))); !errors.Is(err, want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestManySchemas checks sources that hand out new names all the time.
func TestManySchemas(t *testing.T) {
	var raws []winperf.Raw
	for i := range 300 {
		s := &winperf.Schema{Interface: fmt.Sprint(i % 150)}
		raws = append(raws, winperf.Raw{Format: winperf.FormatV1, Bytes: []byte("0123456789abcdef"), Schema: s})
	}
	b := write(t, raws, capture.Options{GroupSamples: 1000})
	same(t, rest(t, open(t, b).Cursor()), raws)
	c := open(t, b).Cursor()
	if err := c.SeekSample(299); err != nil {
		t.Fatal(err)
	}
	same(t, rest(t, c), raws[299:])
	same(t, rest(t, open(t, resume(t, b[:len(b)-1], raws[:3])).Cursor()), slices.Concat(raws, raws[:3]))
}

// TestContext checks that a cursor obeys its context.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := open(t, write(t, samples(perftest.Small, 1), capture.Options{})).Cursor()
	if err := c.Next(ctx, &winperf.Sample{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
