package capture

import (
	"bytes"
	"context"
	"testing"

	"github.com/winperf/winperf"
)

// The first sample behind a seek may claim that all of its parts are in one earlier
// record: that is read once.
func TestEarlierOnce(t *testing.T) {
	big := make([]byte, 8<<20)
	var parts winperf.Sample
	for i := range maxParts {
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: []byte{byte(i)}}
		if i == 0 {
			raw.Bytes = big
		}
		parts.Parts = append(parts.Parts, winperf.Part{Block: raw.Block()})
	}
	var b bytes.Buffer
	w := NewWriter(&b, Options{})
	for range 3 {
		if err := w.Write(&parts); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	counting := &countingReader{Reader: *bytes.NewReader(b.Bytes())}
	f, err := Open(counting, int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Cursor()
	if err := c.SeekSample(2); err != nil {
		t.Fatal(err)
	}
	counting.read = 0
	var s winperf.Sample
	if err := c.Next(context.Background(), &s); err != nil {
		t.Fatal(err)
	}
	if counting.read > 5*int64(b.Len()) {
		t.Errorf("%d bytes of a file of %d were read", counting.read, b.Len())
	}
}
