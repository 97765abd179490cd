package capture_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

var update = flag.Bool("update", false, "write testdata/v2.hex anew")

// TestGolden reads captures that were written when the versions of the format were
// made: what is written once can be read for ever. The bytes that deflate makes may
// change.
func TestGolden(t *testing.T) {
	for _, name := range []string{"testdata/v1.hex", "testdata/v2.hex"} {
		t.Run(name, func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	if *update && strings.Contains(name, "v2") {
		var b bytes.Buffer
		w := capture.NewWriter(&b, capture.Options{GroupSamples: 3, ID: 7})
		for _, s := range parted() {
			if err := w.Write(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		text := hex.EncodeToString(b.Bytes())
		var lines strings.Builder
		for len(text) > 64 {
			lines.WriteString(text[:64] + "\n")
			text = text[64:]
		}
		if err := os.WriteFile(name, []byte(lines.String()+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b := goldenBytes(t, name)
	c := open(t, b).Cursor()
	if strings.Contains(name, "v2") {
		sameParts(t, samplesOf(t, c), parted())
	} else {
		same(t, rest(t, c), small())
	}
	if damage := c.Damage(); len(damage) > 0 {
		t.Error(damage)
	}
}

func goldenBytes(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestVersion checks that a later version is refused.
func TestVersion(t *testing.T) {
	b := write(t, nil, capture.Options{})
	b[8] = 3
	sum := crc32.Checksum(b[:20], crc32.MakeTable(crc32.Castagnoli))
	b[20], b[21], b[22], b[23] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
	if _, err := capture.Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("%v", err)
	}
}
