package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("skipped: whether this system has the object Processor is not sure")
	}

	var out strings.Builder
	err := run(t.Context(), filepath.Join(t.TempDir(), "load.wpc"), 3, 50*time.Millisecond, &out)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), `\Processor(_Total)\% Processor Time`); n < 2 {
		t.Errorf("%d readings of _Total, want 2 at least:\n%s", n, out.String())
	}
	if !strings.HasPrefix(out.String(), "recorded 3 samples\n") {
		t.Error(out.String())
	}
}
