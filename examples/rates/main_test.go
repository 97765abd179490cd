package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/measure"
)

func TestLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.csv")
	log := `"(PDH-CSV 4.0) (UTC)(0)","\\PC\System\Processes","\\PC\Memory\Pages/sec"
"11/22/2026 10:00:00.000","80"," "
"11/22/2026 10:00:01.000","81","2.5"
`
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}

	var out strings.Builder
	err := run(t.Context(), file, []string{`\Memory\*`}, measure.Options{}, &out)
	if err != nil {
		t.Fatal(err)
	}
	// A log's first row has no rates, and a text log has no units.
	want := "10:00:01  \\\\PC\\Memory\\Pages/sec: 2.5\n"
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestLive(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: whether this system has the object System is not sure")
	}

	var out strings.Builder
	opt := measure.Options{Count: 2, Interval: 50 * time.Millisecond}
	err := run(t.Context(), "local:", []string{`\System\Context Switches/sec`}, opt, &out)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), " per_second\n"); n != 2 {
		t.Errorf("%d rates, want 2:\n%s", n, out.String())
	}
}
