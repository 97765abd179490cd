package capture_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
)

// TestSystem keeps what wrote the samples.
func TestSystem(t *testing.T) {
	for _, want := range []string{"", "Windows 6.0, build 6000, 32-bit"} {
		c := open(t, write(t, samples(perftest.Small, 3), capture.Options{System: want})).Cursor()
		rest(t, c)
		if got := c.System(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestZone keeps the rules of a zone, also in a file that is gone on with.
func TestZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	july := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	raws := samples(perftest.Small, 3)

	unknown := open(t, write(t, raws, capture.Options{})).Cursor()
	rest(t, unknown)
	if name, loc := unknown.Zone(); name != "" || loc != nil {
		t.Errorf("%q %v of a capture that does not say its zone", name, loc)
	}

	file := bytes.NewBuffer(write(t, raws, capture.Options{Location: berlin}))
	for range 2 {
		f := open(t, file.Bytes())
		c := f.Cursor()
		rest(t, c)
		name, loc := c.Zone()
		if name != "CET" || loc == nil {
			t.Fatalf("%q %v, want CET and its rules", name, loc)
		}
		if summer, offset := july.In(loc).Zone(); summer != "CEST" || offset != 7200 {
			t.Errorf("in summer %q and %d seconds ahead, want CEST, 7200", summer, offset)
		}

		w := capture.NewWriter(file, capture.Options{Location: berlin, Tail: f.Tail()})
		if err := w.Write(raws[0].Sample()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
