package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// What nobody looked at is not known, and is no time of zero.
func TestRunWithoutLooks(t *testing.T) {
	lines := func(r *trial.Result) (times []string) {
		var b strings.Builder
		writeRun(&b, r)
		for line := range strings.Lines(b.String()) {
			if name, figures, ok := strings.Cut(line, " time "); ok {
				times = append(times, name+" "+strings.Join(strings.Fields(figures), " "))
			}
		}
		return times
	}
	r := &trial.Result{Args: []string{"x"}, Exit: trial.Exit{User: 2 * time.Second, System: 3 * time.Second}}
	if got, want := lines(r), []string{"user 2.000 s -", "system 3.000 s -"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.Tree.Processes = make([]trial.Process, 1)
	if got, want := lines(r), []string{"user 2.000 s 0.00 ms", "system 3.000 s 0.00 ms"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
