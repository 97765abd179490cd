package capture_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
)

// parted are samples of a machine with two interfaces: one answers each time, the
// other one now and then fails or has nothing newer, and the names change once.
func parted() []*winperf.Sample {
	raws := samples(perftest.Small, 10)
	other := &winperf.Schema{Interface: "local"}
	var all []*winperf.Sample
	var lasting *winperf.Block
	for i := range raws {
		s := raws[i].Sample()
		if i >= 7 {
			s.Schema = other
		}
		second := winperf.Part{Name: "perflib"}
		switch {
		case i == 3:
			second.Err = errors.New("no answer within 30s")
		case i%3 == 0:
			raw := winperf.Raw{Format: winperf.FormatV2, Quirks: winperf.WidthFromType, Bytes: []byte(fmt.Sprint("sets", i))}
			raw.Clocks.PerfTime, raw.Clocks.ObjectFreq = int64(i), 7
			lasting = raw.Block()
		}
		if second.Err == nil {
			second.Block = lasting
			second.Only = []winperf.ObjectID{{Index: uint32(i)}, {GUID: winperf.GUID{1, byte(i)}}}
		}
		if i == 5 { // one of a single part between them
			all = append(all, s)
			continue
		}
		s.Parts = append(s.Parts, second)
		all = append(all, s)
	}
	return all
}

// samplesOf reads all samples, and holds their blocks.
func samplesOf(t *testing.T, c *capture.Cursor) (all []*winperf.Sample) {
	t.Helper()
	for {
		s := &winperf.Sample{}
		err := c.Next(context.Background(), s)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

// sameParts checks that samples hold the same, and that the same blocks are the same
// in both.
func sameParts(t *testing.T, got, want []*winperf.Sample) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d", len(got), len(want))
	}
	for n := range want {
		if diff := cmp.Diff(shownSample(want[n]), shownSample(got[n])); diff != "" {
			t.Errorf("sample %d (-want +got):\n%s", n, diff)
		}
		if n == 0 {
			continue
		}
		for i := range min(len(want[n].Parts), len(want[n-1].Parts)) {
			stays := func(all []*winperf.Sample) bool {
				b := all[n].Parts[i].Block
				return b != nil && b == all[n-1].Parts[i].Block
			}
			if stays(got) != stays(want) {
				t.Errorf("sample %d, part %d: the same block %v, want %v", n, i, stays(got), stays(want))
			}
		}
	}
}

// shownSample is what is to be the same of a sample.
func shownSample(s *winperf.Sample) (lines []string) {
	of := ""
	if s.Schema != nil {
		of = s.Schema.Interface
	}
	lines = append(lines, of, capture.Time(s).String())
	for _, p := range s.Parts {
		text := fmt.Sprintf("%s %v %v %v", p.Name, p.Independent, p.Only, p.Err)
		if b := p.Block; b != nil {
			text += fmt.Sprintf(" %d %d %+v %x", b.Format, b.Quirks, b.Clocks, sha256.Sum256(b.Bytes))
		}
		lines = append(lines, text)
	}
	return lines
}

func writeParts(t *testing.T, all []*winperf.Sample, opt capture.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	w := capture.NewWriter(&b, opt)
	for _, s := range all {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Samples of several parts come back as they were, in one record each, wherever the
// reading begins.
func TestParts(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 100} {
		all := parted()
		f := open(t, writeParts(t, all, capture.Options{GroupSamples: size}))
		if f.Samples() != len(all) {
			t.Errorf("%d samples, want %d", f.Samples(), len(all))
		}
		sameParts(t, samplesOf(t, f.Cursor()), all)
		for n := range all {
			c := f.Cursor()
			if err := c.SeekSample(n); err != nil {
				t.Fatal(err)
			}
			sameParts(t, samplesOf(t, c), all[n:])
			if damage := c.Damage(); len(damage) > 0 {
				t.Errorf("from sample %d: %v", n, damage)
			}
		}
	}
}

// A block that is unchanged is not stored again.
func TestPartsUnchanged(t *testing.T) {
	raws := samples(perftest.Desktop, 2)
	var all []*winperf.Sample
	for range 20 {
		s := raws[0].Sample()
		s.Parts[0].Block = all0(all, s)
		s.Parts = append(s.Parts, winperf.Part{Name: "other", Block: winperf.Raw{Format: winperf.FormatV1, Bytes: []byte("small")}.Block()})
		all = append(all, s)
	}
	b := writeParts(t, all, capture.Options{})
	one := writeParts(t, all[:1], capture.Options{})
	if len(b) > len(one)+19*1000 {
		t.Errorf("%d bytes of 20 samples, %d of one", len(b), len(one))
	}
	sameParts(t, samplesOf(t, open(t, b).Cursor()), all)
}

func all0(all []*winperf.Sample, s *winperf.Sample) *winperf.Block {
	if len(all) == 0 {
		return s.Parts[0].Block
	}
	return all[0].Parts[0].Block
}

// A file of the first version goes on with samples of one part, and refuses others
// without harm.
func TestPartsOfFirstVersion(t *testing.T) {
	b := goldenBytes(t, "testdata/v1.hex")
	file := bytes.NewBuffer(bytes.Clone(b))
	w := capture.NewWriter(file, capture.Options{Tail: open(t, b).Tail()})
	if err := w.Write(parted()[0]); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("several parts: %v", err)
	}
	raws := samples(perftest.Small, 1)
	if err := errors.Join(w.Write(raws[0].Sample()), w.Close()); err != nil {
		t.Fatal(err)
	}
	same(t, rest(t, open(t, file.Bytes()).Cursor()), append(small(), raws...))
}

// Damage to a sample costs itself, and those that share a block with it in a group.
func TestPartsDamaged(t *testing.T) {
	all := parted()
	written := map[string]bool{}
	for _, s := range all {
		written[fmt.Sprint(shownSample(s)[1:])] = true
	}
	whole := writeParts(t, all, capture.Options{GroupSamples: 4})
	for at := 24; at < len(whole); at += 197 {
		b := bytes.Clone(whole)
		b[at] ^= 0x55
		f, err := capture.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		c := f.Cursor()
		for _, got := range samplesOf(t, c) {
			if !written[fmt.Sprint(shownSample(got)[1:])] {
				t.Errorf("byte %d: a sample that was not written", at)
			}
		}
	}
}

// The memory of a block is used again only if its reader does not need it any more, and never where the reader
// does not say.
func TestInUse(t *testing.T) {
	all := twoPaces()
	file := writeParts(t, all, capture.Options{})
	for name, inUse := range map[string]func(*winperf.Block) bool{
		"not said": nil, "all": func(*winperf.Block) bool { return true }, "none": func(*winperf.Block) bool { return false },
	} {
		c := open(t, file).Cursor()
		blocks := map[*winperf.Block]uint64{} // their numbers, by the memory
		again := 0
		samples := make([]winperf.Sample, len(all))
		for n := range samples {
			samples[n].InUse = inUse
			if err := c.Next(t.Context(), &samples[n]); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shownSample(all[n]), shownSample(&samples[n])); diff != "" {
				t.Errorf("%s in use: sample %d as it was read (-want +got):\n%s", name, n, diff)
			}
			b := samples[n].Parts[0].Block
			if number, known := blocks[b]; known && number != b.Number() {
				again++
			}
			blocks[b] = b.Number()
		}

		if (again > 0) != (name == "none") {
			t.Errorf("%s in use: memory is used again %d times", name, again)
		}
		for n := range samples {
			if diff := cmp.Diff(shownSample(all[n]), shownSample(&samples[n])); diff != "" && name != "none" {
				t.Errorf("%s in use: sample %d (-want +got):\n%s", name, n, diff)
			}
		}
	}
}

// twoPaces are samples of which each third has a new first block, and each a new second one.
func twoPaces() (all []*winperf.Sample) {
	raws := samples(perftest.Small, 30)
	for n := range raws {
		s := raws[n].Sample()
		s.Parts = append(s.Parts, winperf.Part{Name: "other", Block: raws[len(raws)-1-n].Block()})
		if n%3 > 0 {
			s.Parts[0].Block = all[n-1].Parts[0].Block
		}
		all = append(all, s)
	}
	return all
}

// A part that is unchanged has the memory of the sample before. It stays when that sample is read into again.
func TestPartsOfOtherMemory(t *testing.T) {
	raws := samples(perftest.Small, 3)
	alone, both, last := raws[0].Sample(), raws[0].Sample(), raws[2].Sample()
	both.Parts = []winperf.Part{{Block: alone.Parts[0].Block}, {Name: "other", Block: raws[1].Block()}}
	c := open(t, writeParts(t, []*winperf.Sample{alone, both, last}, capture.Options{})).Cursor()

	var first, second winperf.Sample
	for _, s := range []*winperf.Sample{&first, &second, &first} {
		if err := c.Next(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(shownSample(both), shownSample(&second)); diff != "" {
		t.Errorf("after the sample behind it (-want +got):\n%s", diff)
	}
}

// Displayable values are no samples of blocks.
func TestPartsCooked(t *testing.T) {
	w := capture.NewWriter(io.Discard, capture.Options{})
	if err := w.Write(winperf.Raw{Format: winperf.FormatValues}.Sample()); !errors.Is(err, winperf.ErrNotSupported) {
		t.Error(err)
	}
}
