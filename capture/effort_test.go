package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/winperf/winperf"
)

// countingReader counts the bytes that are read.
type countingReader struct {
	bytes.Reader
	read int64
}

func (r *countingReader) ReadAt(p []byte, offset int64) (int, error) {
	n, err := r.Reader.ReadAt(p, offset)
	r.read += int64(n)
	return n, err
}

// TestOpenReadsIndex opens a capture that was closed: its samples are not looked at.
func TestOpenReadsIndex(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Options{GroupSamples: 10})
	random := rand.New(rand.NewPCG(1, 2))
	const samples = 300
	for range samples {
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: make([]byte, 5000)}
		for i := range raw.Bytes {
			raw.Bytes[i] = byte(random.Uint32())
		}
		if err := w.Write(raw.Sample()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	r := &countingReader{Reader: *bytes.NewReader(b.Bytes())}
	f, err := Open(r, int64(b.Len()))
	if err != nil || f.Samples() != samples {
		t.Fatalf("%d samples, error %v", f.Samples(), err)
	}
	if r.read > int64(b.Len()/20) {
		t.Errorf("%d bytes of %d were read", r.read, b.Len())
	}
}

func TestParseIndex(t *testing.T) {
	const offset = 10_000
	g := group{start: 500, samples: 3, min: 5, max: 9, schemas: []definition{{1, 50}, {2, 60}}}
	first := g
	first.start = fileHeadSize
	for _, tt := range []struct {
		name string
		b    []byte
		ok   bool
	}{
		{"the first one", first.append(nil, 0), true},
		{"a later one", g.append(nil, 100), true},
		{"none before it, but not the first group", g.append(nil, 0), false},
		{"one before it that is behind its group", g.append(nil, 500), false},
		{"cut", g.append(nil, 100)[:60], false},
		{"more than its schemas", append(g.append(nil, 100), 0), false},
		{"more samples than fit", (&group{start: 500, samples: (offset-500)/headSize + 1}).append(nil, 100), false},
		{"as many samples as fit", (&group{start: 500, samples: (offset - 500) / headSize}).append(nil, 100), true},
	} {
		got, before, err := parseIndex(tt.b, offset)
		if (err == nil) != tt.ok || tt.ok && !bytes.Equal(got.append(nil, before), tt.b) {
			t.Errorf("%s: %+v, %d, error %v", tt.name, got, before, err)
		}
	}
}

// TestEffort reads files that were made to be read again and again: what is read
// is a small multiple of their size.
func TestEffort(t *testing.T) {
	start := appendFileHead(nil, 1)
	record := func(b []byte, h head, payload []byte) []byte {
		h.file, h.number = 1, uint64(len(b))
		at := len(b)
		b = append(append(b, make([]byte, headSize)...), payload...)
		h.put(b[at:])
		return b
	}
	marks := append(bytes.Clone(start), bytes.Repeat(mark[:], 500_000)...)
	nested := bytes.Clone(start)
	const heads = 20_000
	for i := range heads { // each reaches from where it is almost to the end
		nested = record(nested, head{kind: kindSample, stored: uint32(heads-i-1)*headSize + 5}, nil)
	}
	nested = append(nested, make([]byte, 10)...)
	missing := bytes.Clone(start)
	for i := range 20_000 {
		payload := appendSampleHead(nil, &winperf.Raw{}, uint64(i+1), uint64(i+1))
		missing = record(missing, head{kind: kindSample, stored: uint32(len(payload)), size: uint32(len(payload)), sum: checksum(payload)}, payload)
	}
	schemas := bytes.Clone(start)
	for range 100_000 {
		schemas = record(schemas, head{kind: kindSchema, key: 1}, nil)
	}
	for name, b := range map[string][]byte{"marks": marks, "nested": nested, "missing": missing, "schemas": schemas} {
		r := &countingReader{Reader: *bytes.NewReader(b)}
		f, err := Open(r, int64(len(b)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := f.Cursor()
		var s winperf.Sample
		for err == nil {
			err = c.Next(context.Background(), &s)
		}
		if !errors.Is(err, io.EOF) || r.read > 20*int64(len(b)) {
			t.Errorf("%s: %d bytes read of %d, %v", name, r.read, len(b), err)
		}
	}
}
