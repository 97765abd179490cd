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
	attach      bool
	status      bool
	changed     func(flag string) bool // whether a flag was given
	repeated    []trial.Step           // plan of the repeated folder, or nil
	begun       bool                   // the checks are complete
}

var errNotBegun = errors.New("interrupted; nothing was run")

const runHelp = `Run runs an experiment from a YAML file, or a command after --, and shows its results.

Experiment: the file names the sensors, events, deliveries of records, and the commands to
run and compare (docs/experiments.md). Run first checks the whole file and samples every
counter once; --check stops there. The results are written to a new directory: the file,
the conditions, the order of runs with its seed, all records and runs, raw samples of all
measurements, and the report. 'winperf run DIRECTORY', with such a directory, repeats the
same commands in the same order.

Command: run executes it -n times and shows on standard error its time, processor time,
memory, I/O and context switches. For a single run, the column SYSTEM has the use that the
system reports for the command and the processes it waited for. The column SEEN adds up the
processes of the command; they are sampled (-i), so the use after a process's last sample
is missing. -o DIRECTORY keeps all data needed to repeat and compare the runs: the order of
runs with its seed, the conditions, each run with all its processes, and the report.

--disturbance runs the command without measuring and with measuring at several intervals,
in blocks of random order, to show the cost of measuring: the difference of the means with
its 95 % confidence interval, and the probability of such a difference without an effect.
-p adds counters to measure.

--compare compares the runs in two results directories, or the commands in one.

Ctrl-C asks the command to end and completes the results; a second one kills it.

With --experiments, winperf experiment attach run_NAME adds an experiment to a running
experiment NAME.

Exit status of a command: its own status, or of several runs the first that is not 0;
128+n if signal n ended it; 126 if it could not be started, 127 if it was not found;
125 if winperf itself failed, could not keep the results, or was stopped before the last
run. Measuring problems are only reported on standard error.

Exit status of an experiment, of --compare, and of a command with --measure-status: 0 done,
1 nothing could be run or compared, or the results could not be kept, 3 a run failed, runs
were not made, or records were lost. --check also ends with 3 if an object is missing that
may appear later.`

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
		Short:   "Run an experiment or a command, and show its resource use",
		Long:    runHelp,
		Example: runExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.changed = cmd.Flags().Changed
			dash := cmd.ArgsLenAtDash() == 0
			call.Command = dash && !r.status
			err := r.run(cmd.Context(), args, dash)
			if !r.begun && console.IsInterrupt(cmd.Context(), err) {
				return errNotBegun // a failure: the checks may be incomplete
			}
			return err
		},
	}

	r.addFlags(cmd.Flags())
	return cmd
}

func (r *runner) addFlags(flags *pflag.FlagSet) {
	const every = "time between samples of the processes: 1, 0.1, 50ms"
	flags.VarP(input.LiveInterval{Interval: &r.every}, "interval", "i", every)
	const count = "number of runs of the command; with --disturbance, at each interval"
	flags.VarP(input.AtLeast{Count: &r.repetitions, Least: 1}, "count", "n", count)
	flags.Var(input.AtLeast{Count: &r.warmups}, "warmup", "number of runs before, which are not counted")
	flags.Uint64Var(&r.seed, "seed", 0, "seed `N` of the random order; 0 chooses one")
	flags.StringVarP(&r.folder, "output", "o", "", "keep the results in this `DIRECTORY`")
	flags.StringArrayVarP(&r.paths, "path", "p", nil, "with --disturbance: measure this `PATH`, too")
	flags.BoolVar(&r.disturbance, "disturbance", false, "show the cost of measuring the command")
	const intervals = "`LIST` of the intervals of --disturbance"
	flags.StringSliceVar(&r.intervals, "intervals", []string{"1", "0.1", "0.01"}, intervals)
	flags.BoolVar(&r.check, "check", false, "check the experiment and run nothing")
	flags.BoolVar(&r.attach, "experiments", false, input.ExperimentsUsage)
	const status = "exit with status 0, 1 or 3 instead of the command's status"
	flags.BoolVar(&r.status, "measure-status", false, status)
	flags.BoolVar(&r.compare, "compare", false, "compare results: --compare DIRECTORY [DIRECTORY]")
}

func (r *runner) run(ctx context.Context, args []string, dash bool) error {
	switch {
	case r.compare:
		return r.compareFolders(args)
	case len(args) == 0 && r.check:
		return errors.New("--check needs an experiment file: winperf run --check experiment.yaml")
	case len(args) == 0:
		return errors.New("no command given; for example winperf run -- make -j4")
	case !dash && len(args) > 1:
		return fmt.Errorf("run takes one experiment file but got %d arguments; write a command after --", len(args))
	case !dash:
		return r.runNamed(ctx, args[0])
	case r.check:
		return errors.New("--check is for experiment files")
	case r.attach:
		return errors.New("--experiments is for experiment files")
	}

	abort, stop := console.UntilSecond()
	defer stop()
	command := trial.Command{
		Args: args, Stdin: os.Stdin, Stdout: r.app.Stdout, Stderr: r.app.Stderr, Abort: abort,
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

func (r *runner) examine(ctx context.Context, opt *trial.Options) error {
	paths := opt.Variants[len(opt.Variants)-1].Paths // the same for all variants except the first
	absent, err := trial.ExaminePaths(ctx, opt.Source, paths, r.opener())
	for _, a := range absent {
		r.app.Complain(a.Err)
	}
	return err
}

var ofCommands = []string{"count", "warmup", "interval", "path", "disturbance", "intervals"}

func (r *runner) runNamed(ctx context.Context, name string) error {
	for _, flag := range ofCommands {
		if r.changed(flag) {
			return fmt.Errorf("--%s is for commands after --; an experiment file has its own setting", flag)
		}
	}
	if isFolder(name) {
		return r.repeat(ctx, name)
	}
	return r.runFile(ctx, name)
}

func (r *runner) options(command trial.Command) (opt trial.Options, err error) {
	opt.Repetitions, opt.Warmups, opt.Seed = max(1, int(r.repetitions)), int(r.warmups), r.seed
	if opt.Seed == 0 {
		opt.Seed = trial.DrawSeed()
	}
	if !r.disturbance {
		for _, flag := range []string{"path", "intervals"} {
			if r.changed(flag) {
				return opt, fmt.Errorf("--%s needs --disturbance", flag)
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
			return opt, fmt.Errorf("--intervals: %v is given twice", time.Duration(d))
		}
		intervals = append(intervals, time.Duration(d))
	}
	opt.Variants = trial.Disturbed(command, intervals, paths)
	return opt, nil
}

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
	_, printed := fmt.Fprint(r.app.Stderr, report)
	return errors.Join(err, printed)
}

func (r *runner) left(opt *trial.Options, all []*trial.Result) string {
	done, of := len(all), opt.Runs()
	if done == of {
		return ""
	}
	r.app.Partial = true
	return fmt.Sprintf("\n%d of %d runs were started%s\n", done, of, stopped(all))
}

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
