package main

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: whether this system has the object Processor Information is not sure")
	}
	var out strings.Builder
	if err := run(t.Context(), "local:", 2, 50*time.Millisecond, &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\n_Total ", "\n0,0 "} {
		if n := strings.Count(out.String(), line); n != 2 {
			t.Errorf("%d lines for %q, want 2:\n%s", n, line, out.String())
		}
	}
}

// The capture has made-up processors of Windows, whose loads are known: one sample to begin
// with, and three that are shown.
func TestCapture(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), "testdata/processors.capture", 0, time.Hour, &out); err != nil {
		t.Fatal(err)
	}

	want := ""
	for _, second := range []string{"10:00:01", "10:00:02", "10:00:03"} {
		want += second + `      busy     user   kernel    interrupts  idle breaks  frequency
_Total      50.0 %   30.0 %   20.0 %        1500/s        400/s  2100 MHz
0,_Total    50.0 %   30.0 %   20.0 %        1500/s        400/s  2100 MHz
0,0         75.0 %   50.0 %   25.0 %        1000/s        100/s  2400 MHz
0,1         25.0 %   10.0 %   15.0 %         500/s        300/s  1800 MHz
`
	}
	if out.String() != want {
		t.Errorf("found\n%swant\n%s", out.String(), want)
	}
}
