package main

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/measure"
)

func TestRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: whether this system has the objects Processor and Memory is not sure")
	}

	var csv, jsonl strings.Builder
	opt := measure.Options{Count: 2, Interval: 50 * time.Millisecond}
	if err := run(t.Context(), opt, &csv, &jsonl); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(csv.String(), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[0], `"(PDH-CSV 4.0)`) {
		t.Errorf("not a head and two lines:\n%s", csv.String())
	}
	if n := strings.Count(jsonl.String(), `"status":"ok"`); n != 4 {
		t.Errorf("%d values, want 4:\n%s", n, jsonl.String())
	}
}
