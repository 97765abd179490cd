package capture_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// small are samples of a few words, so that fuzzing gets far.
func small() []winperf.Raw {
	s := &winperf.Schema{Interface: "x", Costly: []uint32{7}, Names: []winperf.NameTable{{Language: "009", Counter: []byte("1\x00"), Help: []byte{}}}}
	var raws []winperf.Raw
	for i := range 7 {
		b := bytes.Repeat([]byte("abcdefgh"), 6)
		b[9], b[30] = byte(i), byte(i*i)
		raws = append(raws, winperf.Raw{Format: winperf.FormatV1, Bytes: b[:len(b)-i%3], Schema: s})
	}
	return raws
}

// FuzzOpen reads anything: what can be read can be written again and is the same
// then, reading again gives the same, a closed file loses nothing by being
// resumed, and memory is bounded.
func FuzzOpen(f *testing.F) {
	whole := write(f, small(), capture.Options{GroupSamples: 3, ID: 7})
	f.Add(whole)
	f.Add(whole[:len(whole)-20])
	f.Add(whole[:200])
	f.Add(append(bytes.Clone(whole[:100]), whole...))
	f.Add([]byte{})
	f.Add(whole[24:])
	var parts bytes.Buffer
	w := capture.NewWriter(&parts, capture.Options{GroupSamples: 3, ID: 7})
	for _, s := range parted() {
		if err := w.Write(s); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(parts.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := capture.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !errors.Is(err, winperf.ErrBadData) && !errors.Is(err, winperf.ErrNotSupported) {
				t.Fatalf("open: %v", err)
			}
			return
		}
		c := file.Cursor()
		got := samplesOf(t, c)
		damage := c.Damage()
		for _, err := range damage {
			if d := new(winperf.DataError); !errors.As(err, &d) || d.Offset < 0 || d.Len < 0 || d.Offset+d.Len > int64(len(b)) {
				t.Fatalf("damage %v of %d bytes", err, len(b))
			}
		}
		total := int64(0)
		counted := map[*winperf.Block]bool{}
		for _, s := range got {
			for _, p := range s.Parts {
				if p.Block != nil && !counted[p.Block] {
					counted[p.Block] = true
					total += int64(len(p.Block.Bytes))
				}
			}
		}
		if n := int64(len(b)); total > (n+1)*1100*n { // deflate, and four times a reference
			t.Fatalf("%d bytes of samples in %d", total, len(b))
		}
		sameParts(t, samplesOf(t, file.Cursor()), got)
		if len(b)%8 > 0 { // what follows takes much longer
			return
		}
		c = open(t, writeParts(t, got, capture.Options{GroupSamples: 2})).Cursor()
		again := samplesOf(t, c)
		if len(c.Damage()) > 0 {
			t.Fatalf("%d samples written, %d read, %v", len(got), len(again), c.Damage())
		}
		sameParts(t, again, got)
		for _, n := range []int{0, len(got) / 2, len(got)} {
			if err := c.SeekSample(n); err != nil {
				t.Fatal(err)
			}
			if left := len(samplesOf(t, c)); left != len(got)-n {
				t.Fatalf("%d samples behind number %d, want %d", left, n, len(got)-n)
			}
		}
		resumed(t, b, file, got)
	})
}

// resumed appends a sample: those that were there are still there.
func resumed(t *testing.T, b []byte, file *capture.File, got []*winperf.Sample) {
	t.Helper()
	buf := bytes.NewBuffer(bytes.Clone(b[:file.Tail().Offset]))
	w := capture.NewWriter(buf, capture.Options{Tail: file.Tail()})
	if err := w.Write(winperf.Raw{Bytes: []byte("one more")}.Sample()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	after := samplesOf(t, open(t, buf.Bytes()).Cursor())
	if len(after) != len(got)+1 || string(after[len(got)].Parts[0].Block.Bytes) != "one more" {
		t.Fatalf("%d samples with one more, %d before", len(after), len(got))
	}
}

// FuzzRoundTrip writes two samples, the second one as its difference from the
// first.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopabcdefghijklmnop"), []byte("abcdefgh--------abcdefghijklmnop"))
	f.Add(bytes.Repeat([]byte("ab"), 100), bytes.Repeat([]byte("ab"), 77))
	f.Add([]byte{}, []byte{1})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		raws := []winperf.Raw{{Bytes: a}, {Bytes: b}, {Bytes: a}}
		c := open(t, write(t, raws, capture.Options{})).Cursor()
		var raw winperf.Raw
		for i := range raws {
			if err := capture.NextRaw(context.Background(), c, &raw); err != nil || !bytes.Equal(raw.Bytes, raws[i].Bytes) {
				t.Fatalf("sample %d: %v, %q, want %q", i, err, raw.Bytes, raws[i].Bytes)
			}
		}
		if err := capture.NextRaw(context.Background(), c, &raw); !errors.Is(err, io.EOF) || len(c.Damage()) > 0 {
			t.Fatal(err)
		}
	})
}
