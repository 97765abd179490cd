package tasks

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider/publish"
	"github.com/winperf/winperf/source"
)

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: whether this system has these objects is not sure")
	}
}

func expect(t *testing.T, form, got string) {
	t.Helper()
	if !regexp.MustCompile(form).MatchString(got) {
		t.Errorf("got:\n%s\nwant: %s", got, form)
	}
}

func TestGet(t *testing.T) {
	onLinux(t)
	var out strings.Builder
	if err := Get(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	expect(t, `^\[\\\\.*\\System\\Processes: \d+ count\] <nil>\n$`, out.String())
}

func TestWatch(t *testing.T) {
	onLinux(t)
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var out strings.Builder
	opt := measure.Options{Count: 2, Interval: 50 * time.Millisecond}
	if err := Watch(t.Context(), src, opt, &out); err != nil {
		t.Fatal(err)
	}
	expect(t, `(?s)\\Processor\(_Total\)\\% Processor Time: [\d.]+ percent\n.*Available MBytes: \d+ count\n$`, out.String())
}

func TestLog(t *testing.T) {
	const text = `"(PDH-CSV 4.0) (UTC)(0)","\\PC\Process(editor)\% Processor Time","\\PC\Process(shell)\% Processor Time"
"11/22/2026 10:00:00.000"," "," "
"11/22/2026 10:00:01.000","81","2.5"
"11/22/2026 10:00:02.000","12","50"
`
	file := filepath.Join(t.TempDir(), "log.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Log(t.Context(), file, &out); err != nil {
		t.Fatal(err)
	}
	if want := "2026-11-22 10:00:01 \\\\PC\\Process(editor)\\% Processor Time: 81\n"; out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestPublish(t *testing.T) {
	// The counter is published as long as this program runs: Windows does not remove its file before.
	dir, err := os.MkdirTemp("", "published")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(publish.Environment, dir)
	orders, err := Publish()
	if err != nil {
		t.Fatal(err)
	}
	if n := orders.Load(); n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}

func TestExperiment(t *testing.T) {
	onLinux(t)
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var out strings.Builder
	worked := false
	work := func(context.Context) { worked = true }
	if err := Experiment(t.Context(), src, work, &out); err != nil || !worked {
		t.Fatal(worked, err)
	}
	expect(t, `^order .*\\System\\Context Switches/sec grew by \d+`, out.String())
}

// TestReadme: each line of the code in README.md and docs/publish.md is a line of the code that the other
// tests run.
func TestReadme(t *testing.T) {
	var pages strings.Builder
	for _, file := range []string{"../../README.md", "../../docs/publish.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(text)
	}
	code, err := os.ReadFile("tasks.go")
	if err != nil {
		t.Fatal(err)
	}

	lines := map[string]bool{}
	for line := range strings.Lines(string(code)) {
		line = strings.TrimSpace(line)
		lines[line] = true
		if test, ok := strings.CutPrefix(line, "if "); ok {
			lines[strings.TrimSuffix(test, "; err != nil {")] = true
		}
	}
	blocks := 0
	inside := false
	for line := range strings.Lines(pages.String()) {
		switch line = strings.TrimSpace(line); {
		case line == "```go":
			inside, blocks = true, blocks+1
		case line == "```":
			inside = false
		case inside && !lines[line]:
			t.Errorf("tasks.go lacks the line %s", line)
		}
	}
	if blocks != 6 {
		t.Errorf("%d blocks of code, want 6", blocks)
	}
}
