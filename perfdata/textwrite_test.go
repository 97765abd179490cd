package perfdata_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestWriteText checks that a block written in parts is the one formatted at
// once, and that the writer's error comes back.
func TestWriteText(t *testing.T) {
	block, err := perfdata.Parse(perftest.Block(perftest.Desktop), 0)
	if err != nil {
		t.Fatal(err)
	}
	block.Objects[1] = perfdata.Object{Raw: make([]byte, 1<<20)}
	names := func(title uint32) string { return strings.Repeat("n", int(title%7)) }
	var got bytes.Buffer
	largest := 0
	out := writerFunc(func(p []byte) (int, error) {
		largest = max(largest, len(p))
		return got.Write(p)
	})
	if err := perfdata.WriteText(out, block, names); err != nil {
		t.Fatal(err)
	}
	want, err := block.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := fixture(t, got.String()).Encode()
	if err != nil || !bytes.Equal(again, want) {
		t.Errorf("the %d bytes written are another block, error %v", got.Len(), err)
	}
	if most := 128 << 10; largest > most {
		t.Errorf("%d bytes written at once, expected at most %d", largest, most)
	}
	broken := errors.New("broken")
	fails := writerFunc(func([]byte) (int, error) { return 0, broken })
	if err := perfdata.WriteText(fails, block, names); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
