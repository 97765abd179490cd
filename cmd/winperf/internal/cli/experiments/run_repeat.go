package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/winperf/winperf/cmd/winperf/internal/trial"
)

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// repeat runs the experiment or command of a results folder again, with its flags and in the same order.
func (r *runner) repeat(ctx context.Context, folder string) error {
	c, err := trial.ReadConditions(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s holds no results of winperf run: %w", folder, err)
	}
	if err != nil {
		return err
	}
	if dir, err := os.Getwd(); err == nil && dir != c.Dir {
		r.app.Complain(fmt.Errorf("%s was run in %s: relative names now refer to this directory", folder, c.Dir))
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
		return fmt.Errorf("%s holds runs of a command, but --experiments is for experiment files", folder)
	}
	dash := slices.Index(c.Args, "--")
	if dash < 0 || len(c.Args) == 0 || c.Args[0] != "run" {
		return fmt.Errorf("%s: the plan has no command to repeat", folder)
	}
	flags := []string{"--seed", strconv.FormatUint(r.seed, 10), "--output", r.folder}
	if r.status {
		flags = append(flags, "--measure-status")
	}
	args := slices.Insert(slices.Clone(c.Args), dash, flags...)
	r.begun = true // the executed command knows better
	return r.call.Execute(ctx, args)
}

func (r *runner) checkRepeated(opt *trial.Options) {
	plan := trial.Plan(len(opt.Variants), opt.Repetitions, opt.Warmups, opt.Order, opt.Seed)
	if r.repeated != nil && !slices.Equal(plan, r.repeated) {
		r.app.Complain(errors.New("the runs or their order differ from the repeated ones"))
	}
}
