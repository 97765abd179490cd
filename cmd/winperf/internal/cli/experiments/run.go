package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/source"
)

// runner is the run command.
type runner struct {
	app         *console.App
	call        *Invocation
	every       input.Interval
	repetitions input.Count
	warmups     input.Count
	seed        uint64
	folder      string
	paths       []string
	check       bool
	compare     bool
	disturbance bool
	intervals   []string
	attach      bool                   // --experiments
	status      bool                   // --measure-status
	changed     func(flag string) bool // whether it was given
	repeated    []trial.Step           // the plan of the folder that is repeated; nil for none
	begun       bool                   // all was checked
}

// errNotBegun tells that Ctrl-C came before there was anything to complete.
var errNotBegun = errors.New("interrupted; nothing was run")

const runHelp = `Run runs an experiment from a file in YAML, which says what is measured at which
events, what becomes of the records, and which commands are run and compared
(docs/experiments.md). It is checked as a whole first, with one sample of every counter
that it names; --check does no more. Its results go to a directory of their own: the
file, the conditions and the plan with its seed, every record and run, raw samples of
all that was measured, and the report.

Behind -- it runs a command, once or several times, and shows on standard error what it
used: time, processor time, memory, I/O and context switches. Figures of all its
processes come from samples of the process tree (-i), so that what a process used
behind its last sample is missing from them; figures of the system come from what it
tells of a command that ended, and cover the processes that were waited for.

With --disturbance the command runs without measuring and with measuring at several
intervals, in blocks of random order, and run shows what measuring costs it: the
difference of the means with its 95 % confidence interval, and how probable such
a difference is if there is none. -p adds what is measured.

With the DIRECTORY of results run does the same again: the same commands in the same
order.

With --compare run compares the runs in two results folders, or the commands in one.

-o DIRECTORY keeps what is needed to repeat the runs and to compare them: the plan
with its seed, the conditions, each run with all its processes, and the report.

Ctrl-C asks the command to end and completes the results; a second one kills it.

With --experiments programs of the same account can attach further experiments to the
run of an experiment (winperf experiment attach run_NAME). They can write files and
start programs. Without it no socket is opened.

Exit status of a command behind --: the status of the command, or of several runs the
first that is not 0; 128+n if signal n ended it; 126 if it could not be started, 127 if
it was not found; else 125 if winperf itself failed, also if it could not keep the
results or was stopped before the last run. Problems with measuring are only reported on
standard error.

Exit status of an experiment, of --compare, and with --measure-status of a command: 0
done, 1 the experiment or command could not be run or its results not be kept, 3 it
failed in some of the runs, some were not run as the experiment was stopped, or
records were lost; of --check 3 when an object is missing that may come.`

const runExample = `  winperf run experiment.yaml
  winperf run --check experiment.yaml
  winperf run -- make -j4
  winperf run -n 10 --warmup 1 -o before -- ./load --requests 1000
  winperf run --compare before after
  winperf run before -o again
  winperf run --disturbance -n 20 -p '\Process(*)\*' -- ./load --requests 1000`

// RunCommand returns the command run.
func RunCommand(a *console.App, call *Invocation) *cobra.Command {
	r := &runner{app: a, call: call, every: input.Interval(200 * time.Millisecond)}
	cmd := &cobra.Command{
		Use:     "run {EXPERIMENT | DIRECTORY | -- COMMAND [ARG...]}",
		Short:   "Run an experiment, or a command, and show what it used",
		Long:    runHelp,
		Example: runExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.changed = cmd.Flags().Changed
			dash := cmd.ArgsLenAtDash() == 0
			call.Command = dash && !r.status
			err := r.run(cmd.Context(), args, dash)
			if !r.begun && console.IsInterrupt(cmd.Context(), err) {
				return errNotBegun // a failure: what was wrong may not have been found
			}
			return err
		},
	}

	r.addFlags(cmd.Flags())
	return cmd
}

func (r *runner) addFlags(flags *pflag.FlagSet) {
	flags.VarP(input.LiveInterval{Interval: &r.every}, "interval", "i", "time between two looks at the processes: 1, 0.1, 50ms")
	flags.VarP(&r.repetitions, "count", "n", "how often it runs; of each variant")
	flags.Var(&r.warmups, "warmup", "runs before these that are not counted")
	flags.Uint64Var(&r.seed, "seed", 0, "seed of the random order; 0 draws one")
	flags.StringVarP(&r.folder, "output", "o", "", "keep the results in this `DIRECTORY`")
	flags.StringArrayVarP(&r.paths, "path", "p", nil, "with --disturbance: measure this `PATH` too")
	flags.BoolVar(&r.disturbance, "disturbance", false, "show what measuring costs the command")
	flags.StringSliceVar(&r.intervals, "intervals", []string{"1", "0.1", "0.01"}, "of --disturbance")
	flags.BoolVar(&r.check, "check", false, "check the experiment and run nothing")
	flags.BoolVar(&r.attach, "experiments", false, input.ExperimentsUsage)
	const status = "end with status 0, 1 or 3, whatever the status of the command"
	flags.BoolVar(&r.status, "measure-status", false, status)
	flags.BoolVar(&r.compare, "compare", false, "compare results: --compare DIRECTORY [DIRECTORY]")
}

// run does what the arguments ask for: dash tells that they are a command behind --.
func (r *runner) run(ctx context.Context, args []string, dash bool) error {
	switch {
	case r.compare:
		return r.compareFolders(args)
	case len(args) == 0:
		return errors.New("no command given; for example winperf run -- make -j4")
	case !dash && len(args) > 1:
		return fmt.Errorf("run takes one experiment file and got %d arguments; a command stands behind --", len(args))
	case !dash:
		return r.runNamed(ctx, args[0])
	case r.check:
		return errors.New("--check is for experiment files")
	case r.attach:
		return errors.New("--experiments is for experiment files")
	}

	hurry, stop := console.UntilSecond()
	defer stop()
	command := trial.Command{
		Args: args, Stdin: os.Stdin, Stdout: r.app.Stdout, Stderr: r.app.Stderr, Hurry: hurry,
	}
	opt, err := r.options(command)
	if err != nil {
		return err
	}
	src, err := input.OpenSource(ctx, r.app, "", source.Options{})
	if err != nil {
		return err
	}
	defer src.Close()
	opt.Source = src
	if err := r.examine(ctx, &opt); err != nil {
		return err
	}
	r.begun = true
	return r.measure(ctx, opt)
}

// examine looks for what is measured beside the command: with less, the disturbance would be another one.
func (r *runner) examine(ctx context.Context, opt *trial.Options) error {
	paths := opt.Variants[len(opt.Variants)-1].Paths // all variants have the same, but the first none
	absent, err := trial.ExaminePaths(ctx, opt.Source, paths, r.opener())
	for _, a := range absent {
		r.app.Complain(a.Err)
	}
	return err
}

// ofCommands are the flags that say what stands in the file of an experiment.
var ofCommands = []string{"count", "warmup", "interval", "path", "disturbance", "intervals"}

// runNamed runs the experiment of a file, or what a results folder is of.
func (r *runner) runNamed(ctx context.Context, name string) error {
	for _, flag := range ofCommands {
		if r.changed(flag) {
			return fmt.Errorf("--%s is for commands behind --; for an experiment its file says that", flag)
		}
	}
	if isFolder(name) {
		return r.repeat(ctx, name)
	}
	return r.runFile(ctx, name)
}

// options are what runs how often.
func (r *runner) options(command trial.Command) (opt trial.Options, err error) {
	opt.Repetitions, opt.Warmups, opt.Seed = max(1, int(r.repetitions)), int(r.warmups), r.seed
	if opt.Seed == 0 {
		opt.Seed = trial.DrawSeed()
	}
	if !r.disturbance {
		for _, flag := range []string{"path", "intervals"} {
			if r.changed(flag) {
				return opt, fmt.Errorf("--%s is of --disturbance", flag)
			}
		}
		opt.Variants = []trial.Variant{{
			Name: commandLine(command.Args), Command: command, Interval: time.Duration(r.every),
		}}
		return opt, nil
	}

	paths, err := input.ParsePaths(r.paths)
	if err != nil {
		return opt, err
	}
	var intervals []time.Duration
	for _, text := range r.intervals {
		var d input.Interval
		if err := (input.LiveInterval{Interval: &d}).Set(text); err != nil {
			return opt, fmt.Errorf("--intervals: %q: %w", text, err)
		}
		if slices.Contains(intervals, time.Duration(d)) {
			return opt, fmt.Errorf("--intervals: %v is there twice", time.Duration(d))
		}
		intervals = append(intervals, time.Duration(d))
	}
	opt.Variants = trial.Disturbed(command, intervals, paths)
	return opt, nil
}

// measure runs the plan, and reports.
func (r *runner) measure(ctx context.Context, opt trial.Options) (err error) {
	folder, err := r.create(&opt)
	if err != nil {
		return err
	}

	var all []*trial.Result
	err = trial.Run(ctx, opt, func(result *trial.Result) error {
		all = append(all, result)
		r.progress(&opt, len(all))
		if folder == nil {
			return nil
		}
		return folder.Add(result)
	})
	if folder != nil {
		err = errors.Join(err, folder.Close())
	}

	r.call.status = statusOfRuns(all, opt.Runs(), err)
	report := r.report(all) + r.left(&opt, all)
	if folder != nil {
		err = errors.Join(err, folder.Keep(trial.FileReport, []byte(report)))
	}
	_, told := fmt.Fprint(r.app.Stderr, report)
	return errors.Join(err, told)
}

// left tells how many runs of the plan are missing, as the experiment was stopped.
func (r *runner) left(opt *trial.Options, all []*trial.Result) string {
	done, of := len(all), opt.Runs()
	if done == of {
		return ""
	}
	r.app.Partial = true
	return fmt.Sprintf("\n%d of %d runs were begun%s\n", done, of, stopped(all))
}

// create makes the results folder, if one is wanted.
func (r *runner) create(opt *trial.Options) (*trial.Folder, error) {
	if r.folder == "" {
		return nil, nil
	}
	dir, _ := os.Getwd()
	machine, _ := os.Hostname()
	c := trial.Conditions{
		Program: console.VersionLine(), System: runtime.GOOS + "/" + runtime.GOARCH, Machine: machine,
		Processors: runtime.NumCPU(), Began: time.Now().UTC(), Args: r.call.Args, Dir: dir,
		Order: opt.Order, Seed: opt.Seed,
		Plan: trial.Plan(len(opt.Variants), opt.Repetitions, opt.Warmups, opt.Order, opt.Seed),
	}
	for _, v := range opt.Variants {
		program, _ := exec.LookPath(trial.ProgramIn(v.Dir, v.Args[0]))
		c.Variants, c.Programs = append(c.Variants, v.Name), append(c.Programs, program)
	}
	return trial.Create(r.folder, c)
}
