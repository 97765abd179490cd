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
	if err := run(t.Context(), 2, 50*time.Millisecond, &out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"\n_Total ", "\n0,0 "} {
		if n := strings.Count(out.String(), line); n != 2 {
			t.Errorf("%d lines for %q, want 2:\n%s", n, line, out.String())
		}
	}
}
