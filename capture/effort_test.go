package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
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
	for i := range heads { // each reaches from where it stands almost to the end
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
