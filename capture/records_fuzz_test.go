package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/winperf/winperf"
)

// FuzzRecords makes a capture whose checksums are right of records that are
// anything, so that what is behind the checksums is reached: it is read without
// harm, and in bounded memory.
func FuzzRecords(f *testing.F) {
	f.Add(recordsOf(f, []winperf.Raw{
		{Bytes: []byte("abcdefghijklmnopabcdefghijklmnopabcdefghijklmnop")},
		{Bytes: []byte("abcdefgh--------abcdefghijklmnopabcdefghijklmnop"), Schema: &winperf.Schema{Interface: "x", Costly: []uint32{1}}},
		{Bytes: []byte("abcdefghijklmnop"), Schema: &winperf.Schema{
			Names: []winperf.NameTable{{Language: "009", Counter: []byte("1")}}, Damage: []error{errIndex}, Sets: []winperf.CounterSet{{Title: 5}},
		}},
	}))
	f.Add(recordsOfSamples(f, partedSeed()))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, longest := fileOf(b)
		opened, err := Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		c := opened.Cursor()
		samples := 0
		var s winperf.Sample
		for {
			err := c.Next(context.Background(), &s)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			samples++
			size := 0
			for _, p := range s.Parts {
				if p.Block != nil && cap(p.Block.Bytes) > 0 {
					size += len(p.Block.Bytes)
				}
			}
			if limit := maxGrowth * 2 * 1040 * longest * max(1, len(s.Parts)); size > limit { // 1040: what deflate can do
				t.Fatalf("a sample of %d bytes of records of up to %d", size, longest)
			}
		}
		c.Damage()
		if err := c.SeekSample(samples / 2); err != nil {
			t.Fatal(err)
		}
		if err := c.SeekTime(winperf.FromFiletime(5)); err != nil {
			t.Fatal(err)
		}
		if err := c.Next(context.Background(), &s); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	})
}

// fileOf makes a capture of records, each a kind, a compression, a key and a
// length of 2 bytes in front of its payload.
func fileOf(b []byte) (file []byte, longest int) {
	file = appendFileHead(nil, 1)
	for number := uint64(0); len(b) >= 5; number++ {
		n := min(int(b[3])|int(b[4])<<8, len(b)-5)
		payload := b[5 : 5+n]
		h := head{kind: kind(b[0]), compression: b[1], file: 1, stored: uint32(n), size: uint32(n), sum: checksum(payload), number: number, key: uint64(b[2])}
		if h.compression == deflated {
			h.size *= uint32(b[2]) // so that it may be the right one
		}
		at := len(file)
		file = append(append(file, make([]byte, headSize)...), payload...)
		h.put(file[at:])
		b, longest = b[5+n:], max(longest, n, int(h.size))
	}
	return file, longest
}

// recordsOf are the records of a capture as fileOf takes them, with keys of one
// byte.
func recordsOf(t testing.TB, raws []winperf.Raw) (b []byte) {
	t.Helper()
	var samples []*winperf.Sample
	for i := range raws {
		samples = append(samples, raws[i].Sample())
	}
	return recordsOfSamples(t, samples)
}

// partedSeed are samples of two parts, of which the second one is unchanged once.
func partedSeed() (samples []*winperf.Sample) {
	second := winperf.Raw{Bytes: []byte("second"), Format: winperf.FormatV2}.Block()
	for _, text := range []string{"abcdefghijklmnop", "abcdefghijklmnoq", "abcdefghijklmnor"} {
		s := winperf.Raw{Bytes: []byte(text)}.Sample()
		s.Parts = append(s.Parts,
			winperf.Part{Name: "b", Block: second, Only: []winperf.ObjectID{{Index: 2}}}, winperf.Part{Err: errIndex})
		samples = append(samples, s)
	}
	return samples
}

func recordsOfSamples(t testing.TB, samples []*winperf.Sample) (b []byte) {
	t.Helper()
	var file bytes.Buffer
	w := NewWriter(&file, Options{})
	for _, s := range samples {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var inf inflater
	for rest := file.Bytes()[fileHeadSize:]; len(rest) > 0; {
		h, _ := parseHead(rest, 0)
		payload := rest[headSize:h.end()]
		rest = rest[h.end():]
		if h.compression == deflated {
			var err error
			if payload, err = inf.append(nil, payload, int(h.size)); err != nil {
				t.Fatal(err)
			}
		}
		payload = bytes.Clone(payload)
		if h.kind == kindSample { // the identities that fileOf gives
			for _, at := range []int{8, 16} {
				clear(payload[at+1 : at+8])
			}
		}
		b = append(b, byte(h.kind), stored, byte(h.key), byte(len(payload)), byte(len(payload)>>8))
		b = append(b, payload...)
	}
	return b
}

// TestFuzzSeed checks that the seed of FuzzRecords is a capture with samples.
func TestFuzzSeed(t *testing.T) {
	file, _ := fileOf(recordsOf(t, []winperf.Raw{{Bytes: []byte("abcdefghijklmnop")}, {Bytes: []byte("abcdefghijklmnoq")}}))
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil || f.Samples() != 2 {
		t.Fatal(f, err)
	}
	c := f.Cursor()
	for _, want := range []string{"abcdefghijklmnop", "abcdefghijklmnoq"} {
		var raw winperf.Raw
		if err := next(context.Background(), c, &raw); err != nil || string(raw.Bytes) != want {
			t.Errorf("%q, %v, %v", raw.Bytes, err, c.Damage())
		}
	}
}

// TestMoved makes the difference of a sample that is words of its own and then the whole reference, which is just
// long enough to be found there.
func TestMoved(t *testing.T) {
	ref := []byte("abcdefghABCDEFGHijklmnopIJKLMNOP") // as many words as must be equal
	own := bytes.Repeat([]byte{0xc5}, 3*word)
	var r reference
	r.set(1, ref)

	diff := new(delta).append(nil, &r, append(own, ref...))
	if most := 1 + 2*3 + len(own); len(diff) > most { // two steps, and the words of its own
		t.Errorf("%d bytes, expected at most %d: %x", len(diff), most, diff)
	}
	if b, err := apply(nil, ref, diff, len(own)+len(ref)); err != nil || !bytes.Equal(b, append(own, ref...)) {
		t.Errorf("%q, %v", b, err)
	}
}

// TestApply checks differences that are none.
func TestApply(t *testing.T) {
	ref := []byte("abcdefghABCDEFGH")
	for name, diff := range map[string][]byte{
		"empty":                {},
		"steps too long":       {5, 1},
		"length without end":   {0xff},
		"step cut off":         {1, 2},
		"more than there is":   {3, 3, 0, 0},
		"before the reference": {6, 0, 0, 1, 2, 0, 0},
		"too few":              {3, 1, 0, 0},
		"too many literals":    append([]byte{3, 2, 0, 0}, ref...),
		"no literals":          {3, 0, 2, 0},
		"far away":             {12, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
	} {
		if b, err := apply(nil, ref, diff, 16); !errors.Is(err, errDelta) {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if b, err := apply(nil, ref, []byte{6, 1, 0, 2, 0, 0, 0, 'x'}, 9); err != nil || string(b) != "abcdefghx" {
		t.Errorf("%q, %v", b, err)
	}
	for times, want := range map[int]error{17: nil, 18: errDelta} { // 272 bytes are 4 times 16+52, 288 are more than 4 times 16+55
		again := append([]byte{byte(3 * times)}, bytes.Repeat([]byte{2, 0, 3}, times)...)
		b, err := apply(nil, ref, again, times*len(ref))
		if !errors.Is(err, want) || err == nil && !bytes.Equal(b, bytes.Repeat(ref, times)) {
			t.Errorf("the reference %d times: %q, %v", times, b, err)
		}
	}
	if _, err := apply(nil, ref, []byte{0}, 1<<30); !errors.Is(err, errDelta) {
		t.Errorf("a sample that is too long: %v", err)
	}
}
