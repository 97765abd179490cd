package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
)

// A part that is collected beside the others, and unchanged, stays an unchanged one where
// only some objects are chosen: it is not stored again.
func TestConvertUnchangedPart(t *testing.T) {
	blocks := perftest.Series(perftest.Small, 6, 1, 1)
	file := filepath.Join(t.TempDir(), "all.capture")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := capture.NewWriter(f, capture.Options{})
	block := func(i int) *winperf.Block {
		return winperf.Raw{Format: winperf.FormatV1, Bytes: blocks[i].Bytes}.Block()
	}
	var beside *winperf.Block
	for i := range blocks {
		if i%3 == 0 {
			beside = block(i)
		}
		parts := []winperf.Part{
			{Block: block(i), Only: []winperf.ObjectID{{Index: 2000}}},
			{Block: beside, Independent: true, Only: []winperf.ObjectID{{Index: 232}, {Index: 230}}},
		}
		if err := w.Write(&winperf.Sample{Parts: parts}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	some := filepath.Join(t.TempDir(), "some.capture")
	var stderr bytes.Buffer
	args := []string{"convert", file, "--path", `\#2000\*`, "--path", `\#232(*)\*`, "-o", some}
	if status := Run(t.Context(), args, nil, io.Discard, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	content, err := os.ReadFile(some)
	if err != nil {
		t.Fatal(err)
	}
	r, err := capture.Open(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}

	c := r.Cursor()
	var sample winperf.Sample
	last := uint64(0)
	for n := 0; ; n++ {
		err := c.Next(t.Context(), &sample)
		if errors.Is(err, io.EOF) && n == len(blocks) {
			return
		}
		if err != nil {
			t.Fatalf("sample %d: %v", n, err)
		}
		part := &sample.Parts[1]
		if same := part.Block.Number() == last; same != (n%3 != 0) || len(part.Block.Bytes) == 0 || !part.Independent {
			t.Errorf("sample %d: the part beside is that of the sample before: %v", n, same)
		}
		last = part.Block.Number()
	}
}
