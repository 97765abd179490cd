package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/trial"
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
	for _, args := range []string{
		"run --check " + file, "run -o " + filepath.Join(dir, "results") + " " + file,
		`run --disturbance -p \System\Processes -- ` + os.Args[0], "run -- " + os.Args[0],
	} {
		var stderr strings.Builder
		status := Run(ctx, strings.Fields(args), nil, io.Discard, &stderr)
		if status != exitFailed || stderr.String() != "winperf: interrupted; nothing was run\n" {
			t.Errorf("%s: status %d: %s", args, status, stderr.String())
		}
	}
	if exists, err := os.ReadDir(filepath.Join(dir, "results")); err == nil {
		t.Errorf("there are results: %v", exists)
	}
}

// The plan says where programs are, also one in the directory in which it runs.
func TestPlanHasPrograms(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, name := filepath.Split(exe)
	var opt trial.Options
	for _, c := range []trial.Command{
		{Args: []string{exe}}, {Args: []string{"." + string(filepath.Separator) + name}, Dir: dir}, {Args: []string{"no-such-program"}},
	} {
		opt.Variants = append(opt.Variants, trial.Variant{Command: c})
	}
	r := &runner{app: &app{}, folder: filepath.Join(t.TempDir(), "results")}
	folder, err := r.create(&opt)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	c, err := trial.ReadConditions(folder.Path)
	if want := []string{exe, exe, ""}; err != nil || !slices.Equal(c.Programs, want) {
		t.Errorf("programs %q, want %q, error %v", c.Programs, want, err)
	}
}
