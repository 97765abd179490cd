package main

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/measure"
)

// Both contexts have readings of both sources.
func TestRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: whether this system has the object Processor is not sure")
	}
	var out strings.Builder
	opt := measure.Options{Interval: 300 * time.Millisecond, Count: 2}
	if err := run(t.Context(), opt, &out); err != nil {
		t.Fatal(err)
	}

	counts := map[string]int{}
	for line := range strings.Lines(out.String()) {
		context, _, _ := strings.Cut(line, " ")
		counts[context]++
		if strings.Contains(line, `\winperf cache(Processor)\Hits/sec`) {
			counts["cache"]++
		}
	}
	if counts["first"] != 4 || counts["second"] != 4 || counts["cache"] != 2 {
		t.Errorf("lines by context %v, of\n%s", counts, out.String())
	}
}
