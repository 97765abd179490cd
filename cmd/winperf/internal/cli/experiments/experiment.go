package experiments

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/internal/control"
)

// ExperimentCommand returns the command experiment.
func ExperimentCommand(a *console.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Measure the events of running programs, and manage that",
		Long: `Experiment shows the programs of your account that let experiments be attached to
them, attaches experiments, which measure sensors at the events of the program, and
pauses, changes and ends them.

A program takes part with one call (control.Listen in Go). winperf run, record and
serve do so with --experiments. PROGRAM is its name or process id; it may be left out
where only one listens. EXPERIMENT may be left out where the program has only one.`,
		Example: `  winperf experiment list
  winperf experiment attach shop --event 'checkout*' --sensor '\Process(shop)\% Processor Time'
  winperf experiment pause shop
  winperf experiment change shop --every 5s
  winperf experiment end shop`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(experimentListCommand(a), experimentAttachCommand(a), experimentReceiveCommand(a),
		experimentStepCommand(a, "pause", "pause", "Pass over events until resume"),
		experimentStepCommand(a, "resume", "resume", "Measure events again after pause"),
		experimentChangeCommand(a),
		experimentStepCommand(a, "end", "detach", "End an experiment; its last records are delivered"))
	return cmd
}

// programAndExperiment are the arguments of most of these commands.
func programAndExperiment(cmd *cobra.Command, args []string) error {
	if len(args) > 2 {
		return fmt.Errorf("%s takes a PROGRAM and an EXPERIMENT and got %q", cmd.CommandPath(), args)
	}
	return nil
}

// argument is an argument, "" where it is not there.
func argument(args []string, n int) string {
	if n < len(args) {
		return args[n]
	}
	return ""
}

// dialProgram connects to a program.
func dialProgram(ctx context.Context, text string) (*control.Client, control.Program, error) {
	p, err := control.Find(ctx, "", text)
	if err != nil {
		return nil, p, err
	}
	c, err := control.Dial(ctx, p.Path)
	return c, p, err
}

// ask makes one request of a program.
func ask(ctx context.Context, args []string, r control.Request, result any) (err error) {
	p, err := control.Find(ctx, "", argument(args, 0))
	if err != nil {
		return err
	}
	r.Experiment = argument(args, 1)
	return AskProgram(ctx, p, r, result, patienceFor(r.Op))
}

// AskProgram makes one request of a program that is known.
func AskProgram(
	ctx context.Context, p control.Program, r control.Request, result any, patience time.Duration,
) error {
	c, err := control.Dial(ctx, p.Path)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // all was said
	return callProgram(ctx, c, r, result, patience)
}

// answerTime is how long a program that lives and is not suspended may take to answer.
const answerTime = 10 * time.Second

// patienceFor is the patience with a request.
func patienceFor(op string) time.Duration {
	switch op {
	case "attach", "change", "sensors": // which look at sources, for a minute at most
		return time.Minute + answerTime
	}
	return answerTime
}

// callProgram waits for an answer with patience.
func callProgram(
	ctx context.Context, c *control.Client, r control.Request, result any, patience time.Duration,
) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := c.Call(limited, r, result)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("the program gave no answer within %v; is it suspended?", patience)
	}
	return err
}

// experimentStepCommand is a command that is one request.
func experimentStepCommand(a *console.App, name, op, short string) *cobra.Command {
	return &cobra.Command{
		Use:               name + " [PROGRAM [EXPERIMENT]]",
		Short:             short,
		Args:              programAndExperiment,
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(cmd.Context(), args, control.Request{Op: op}, nil)
		},
	}
}

func completeProgram(
	cmd *cobra.Command, args []string, text string,
) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp
	ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
	defer cancel()
	if len(args) == 0 {
		programs, err := control.Programs(ctx, "")
		if err != nil {
			return nil, directive
		}
		for _, p := range programs {
			names = append(names, cobra.CompletionWithDesc(p.Name, fmt.Sprint("process ", p.PID)))
		}
		return input.Typeable(names), directive
	}

	var l control.Listing
	if len(args) == 1 && ask(ctx, args, control.Request{Op: "list"}, &l) == nil {
		for _, e := range l.Experiments {
			if catalogue.HasPrefixFold(e.Name, text) {
				names = append(names, e.Name)
			}
		}
	}
	return input.Typeable(names), directive
}

func experimentChangeCommand(a *console.App) *cobra.Command {
	var ch control.Change
	var every input.Interval
	var add []string
	cmd := &cobra.Command{
		Use:   "change [PROGRAM [EXPERIMENT]]",
		Short: "Change the interval, the sensors or the sinks of an experiment",
		Long: `Change changes an experiment while it runs; a record of the experiment says so.
--source and --binding may be left out where there is only one. All of a change is made,
or nothing of it.

Exit status: 0 done, 1 nothing was changed, 3 done, but a sink that was removed failed at
its end, so that it may lack records.`,
		Example: `  winperf experiment change shop --every 5s
  winperf experiment change shop load --sensor '\Process(shop)\*'
  winperf experiment change shop --add-sink https://example.com/records`,
		Args:              programAndExperiment,
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ch.Every = control.Interval(every)
			if ch.Every == 0 && len(ch.Sensors)+len(add)+len(ch.RemoveSinks) == 0 {
				return errors.New("change needs --every, --sensor, --add-sink or --remove-sink")
			}
			if ch.AddSinks, err = parseSinks(add); err != nil {
				return err
			}
			p, err := control.Find(cmd.Context(), "", argument(args, 0))
			if err != nil {
				return err
			}
			r := control.Request{Op: "change", Experiment: argument(args, 1), Change: &ch}
			var done control.Changed
			err = AskProgram(cmd.Context(), p, r, &done, patienceFor(r.Op))
			tellAbsent(cmd.Context(), a, p, done.Absent)
			for _, text := range done.Failed {
				a.Complain(errors.New(text))
				a.Partial = true
			}
			return err
		},
	}

	f := cmd.Flags()
	f.Var(input.LiveInterval{Interval: &every}, "every", "the interval of a source of events")
	f.StringVar(&ch.Source, "source", "", "the source of events that --every is about, by its `NAME`")
	const sensor = "`PATH` or name of a sensor, in place of the former ones; may be repeated"
	f.StringArrayVar(&ch.Sensors, "sensor", nil, sensor)
	f.StringVar(&ch.Binding, "binding", "", "the binding that --sensor is about, by its `NAME`")
	f.StringArrayVar(&add, "add-sink", nil, sinkHelp)
	f.StringArrayVar(&ch.RemoveSinks, "remove-sink", nil, "end the sink of this `NAME`; may be repeated")
	return cmd
}

const sinkHelp = "deliver records to `WHERE`, too: a file, an http: or https: URL, or behind | a program" +
	" with its arguments, which no shell sees; may be repeated"

// parseSinks reads what stands behind --sink.
func parseSinks(texts []string) (sinks []control.Sink, err error) {
	for _, text := range texts {
		s := control.Sink{Name: text}
		switch command, program := strings.CutPrefix(text, "|"); {
		case program:
			if s.Program = strings.Fields(command); len(s.Program) == 0 {
				return nil, fmt.Errorf("%q: expected a program behind |, such as '|gzip -c'", text)
			}
		case strings.Contains(text, "://"):
			s.URL = text
		default:
			if s.File, err = filepath.Abs(text); err != nil {
				return nil, err
			}
		}
		sinks = append(sinks, s)
	}
	return sinks, nil
}

// readSpec reads an experiment's description.
func readSpec(a *console.App, file string) (*control.Spec, error) {
	const most = 1 << 20
	in, err := a.OpenInput(file, "a specification")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if file == "-" {
		file = input.StandardInput
	}
	spec, err := control.ReadSpec(in, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return spec, nil
}
