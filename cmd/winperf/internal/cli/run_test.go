package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// An interrupt before all is checked is a failure, and told: a file that was not checked whole is not right,
// and what never began is not done.
func TestRunInterruptedEarly(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.yaml")
	text := "name: x\nevents: [{name: tick, interval: 1s}]\n" +
		"bindings: [{events: [tick], sensors: ['\\System\\Processes']}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for args, want := range map[string]int{
		"run --check " + file: console.ExitFailed, "run -o " + filepath.Join(dir, "results") + " " + file: console.ExitFailed,
		`run --disturbance -p \System\Processes -- ` + os.Args[0]: console.ExitOfRun,
		"run -- " + os.Args[0]:                  console.ExitOfRun,
		"run --measure-status -- " + os.Args[0]: console.ExitFailed,
	} {
		var stderr strings.Builder
		status := Run(ctx, strings.Fields(args), nil, io.Discard, &stderr)
		if status != want || stderr.String() != "winperf: interrupted; nothing was run\n" {
			t.Errorf("%s: status %d: %s", args, status, stderr.String())
		}
	}
	if exists, err := os.ReadDir(filepath.Join(dir, "results")); err == nil {
		t.Errorf("there are results: %v", exists)
	}
}
