package experiments

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
)

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
	r := &runner{app: &console.App{}, call: &Invocation{}, folder: filepath.Join(t.TempDir(), "results")}
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

// The status of several runs is the first that is not 0, whatever the variant and also of a warm-up.
func TestStatusOfRuns(t *testing.T) {
	run := func(x trial.Exit) *trial.Result { return &trial.Result{Exit: x} }
	ok := run(trial.Exit{})
	start := func(err error) error { return fmt.Errorf("run 3: %w", &trial.StartError{Err: err}) }
	for name, c := range map[string]struct {
		all     []*trial.Result
		planned int
		err     error
		want    int
	}{
		"done":             {[]*trial.Result{ok, ok}, 2, nil, 0},
		"first of two":     {[]*trial.Result{ok, run(trial.Exit{Status: 3}), run(trial.Exit{Status: 2})}, 3, nil, 3},
		"stopped, 0":       {[]*trial.Result{run(trial.Exit{Stopped: true})}, 1, context.Canceled, 0},
		"stopped, missing": {[]*trial.Result{ok}, 2, context.Canceled, console.ExitOfRun},
		"not found":        {[]*trial.Result{ok}, 2, start(exec.ErrNotFound), console.ExitNotFound},
		"no such file":     {nil, 1, start(fs.ErrNotExist), console.ExitNotFound},
		"no permission":    {nil, 1, start(fs.ErrPermission), console.ExitNotStarted},
		"failed, then not found": {
			[]*trial.Result{run(trial.Exit{Status: 9})}, 2, start(exec.ErrNotFound), 9,
		},
		"results not kept": {[]*trial.Result{ok}, 2, fs.ErrPermission, console.ExitOfRun},
	} {
		if got := statusOfRuns(c.all, c.planned, c.err); got != c.want {
			t.Errorf("%s: status %d, want %d", name, got, c.want)
		}
	}
}

// A command is shown as a shell takes it.
func TestCommandLine(t *testing.T) {
	for want, args := range map[string][]string{
		"make -j4 CC=gcc ./a.out":   {"make", "-j4", "CC=gcc", "./a.out"},
		`sh -c 'exit 3'`:            {"sh", "-c", "exit 3"},
		`echo '' 'it'\''s' '$HOME'`: {"echo", "", "it's", "$HOME"},
	} {
		if got := commandLine(args); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
}

// Bytes have a unit wherever sensors are shown.
func TestStatisticText(t *testing.T) {
	for _, c := range []struct {
		path string
		unit counter.Unit
		want string
	}{
		{`\Memory\Available Bytes`, counter.Count, "1.177 MiB"},
		{`\Process(x)\Working Set`, counter.Count, "1.177 MiB"},
		{`\Network Interface(eth0)\Bytes Total/sec`, counter.PerSecond, "1.177 MiB/s"},
		{`\Memory\Available MBytes`, counter.Count, "1.23457e+06"},
		{`\System\Processes`, counter.Count, "1.23457e+06"},
		{`\Process(Bytes)\% Processor Time`, counter.Percent, "1.23457e+06"},
	} {
		v := experiment.Value{Path: c.path, Unit: c.unit}
		if got := statisticText(trial.UnitOf(&v), 1234567); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}
