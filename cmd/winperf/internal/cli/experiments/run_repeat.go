package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/winperf/winperf/cmd/winperf/internal/trial"
)

// isFolder reports whether a name is that of a results folder.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// repeat runs again what a results folder is of: its experiment, or its command with the flags that it
// had, in the same order.
func (r *runner) repeat(ctx context.Context, folder string) error {
	c, err := trial.ReadConditions(folder)
	if err != nil {
		return err
	}
	if dir, err := os.Getwd(); err == nil && dir != c.Dir {
		r.app.Complain(fmt.Errorf("%s was run in %s: relative names are those of this directory now", folder, c.Dir))
	}

	if r.seed == 0 {
		r.seed = c.Seed
	}
	file := filepath.Join(folder, trial.FileExperiment)
	if _, err := os.Stat(file); err == nil {
		r.repeated = c.Plan
		return r.runFile(ctx, file)
	}

	if r.attach {
		return fmt.Errorf("%s is of a command, and --experiments is for experiment files", folder)
	}
	dash := slices.Index(c.Args, "--")
	if dash < 0 || len(c.Args) == 0 || c.Args[0] != "run" {
		return fmt.Errorf("%s: the plan has no command that can be run again", folder)
	}
	flags := []string{"--seed", strconv.FormatUint(r.seed, 10), "--output", r.folder}
	if r.status {
		flags = append(flags, "--measure-status")
	}
	args := slices.Insert(slices.Clone(c.Args), dash, flags...)
	r.begun = true // as far as this command tells, which the other one knows better
	return r.call.Execute(ctx, args)
}

// checkRepeated tells where a plan is another one than that which is repeated.
func (r *runner) checkRepeated(opt *trial.Options) {
	plan := trial.Plan(len(opt.Variants), opt.Repetitions, opt.Warmups, opt.Order, opt.Seed)
	if r.repeated != nil && !slices.Equal(plan, r.repeated) {
		r.app.Complain(errors.New("the runs and their order are other ones than in the folder that is repeated"))
	}
}
