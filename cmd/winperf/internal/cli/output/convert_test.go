package output

import (
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	for want, got := range map[string]string{
		"45 %, 1234 samples, 4.5 MB/s, 1s left":  progressLine(4_500_000, 10_000_000, 1234, time.Second),
		"100 %, 1 samples, 10.0 MB/s, 0s left":   progressLine(10_000_000, 9_000_000, 1, time.Second),
		"7 samples":                              progressLine(0, 0, 7, time.Second),
		"50 %, 2 samples, 0.0 MB/s, 16m40s left": progressLine(1, 2, 2, 1000*time.Second),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
