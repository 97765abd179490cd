package perfdata_test

import (
	"bytes"
	"errors"
	"testing"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
)

// FuzzText reads any text as a block; what can be read and encoded is written as text
// and read again.
func FuzzText(f *testing.F) {
	for _, text := range []string{editable, everyWord} {
		f.Add(text)
	}
	f.Add("block systemtime=1,2,3,4,5,6,7,8 rest=00\nobject 1\nextra 00\nraw 0102\nslack 00")
	f.Fuzz(func(t *testing.T, text string) {
		block, err := perfdata.ParseText([]byte(text))
		if err != nil {
			var at *winperf.DataError
			if !errors.As(err, &at) || at.Line < 1 || at.Column < 1 {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		encoded, err := block.Encode()
		if err != nil {
			if !errors.Is(err, datablock.ErrLength) && !errors.Is(err, datablock.ErrCount) {
				t.Fatal(err)
			}
			return
		}
		again := fixture(t, string(format(block, nil)))
		if got := encode(t, again); !bytes.Equal(got, encoded) {
			t.Fatalf("formatted and parsed again it differs:\n%s\n%x\n%x", format(block, nil), got, encoded)
		}
	})
}
