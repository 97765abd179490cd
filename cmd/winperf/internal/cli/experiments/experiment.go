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
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/control"
)

// ExperimentCommand returns the command experiment.
func ExperimentCommand(a *console.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Measure running programs at their events",
		Long: `Experiment attaches experiments to running programs of your account, and lists, pauses,
changes and ends them. An experiment measures sensors (counters) at the events of a program:
moments that its code names, such as checkout, or the ticks of an interval. A binding says
which sensors are measured at which events; a sink is where the records go.

A program accepts experiments after one call (control.Listen in Go); winperf run, record
and serve accept them with --experiments. PROGRAM is a name or process id, optional if only
one program accepts experiments. EXPERIMENT is optional if the program has only one.`,
		Example: `  winperf experiment list
  winperf experiment attach shop --event 'checkout*' --sensor '\Process(shop)\% Processor Time'
  winperf experiment pause shop
  winperf experiment change shop --every 5s
  winperf experiment end shop`,
		Args: console.OnlySubcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		DisableFlagsInUseLine: true,
	}
	cmd.AddCommand(experimentListCommand(a), experimentAttachCommand(a), experimentReceiveCommand(a),
		experimentStepCommand(a, "pause", "pause", "Ignore events until resume",
			`Pause makes an experiment ignore events until winperf experiment resume. It stays attached.`),
		experimentStepCommand(a, "resume", "resume", "Continue after pause",
			`Resume ends the pause of an experiment, which measures at events again.`),
		experimentChangeCommand(a),
		experimentStepCommand(a, "end", "detach", "End an experiment and deliver its last records",
			`End removes an experiment from its program after the delivery of its last records.`))
	return cmd
}

func programAndExperiment(cmd *cobra.Command, args []string) error {
	if len(args) > 2 {
		return fmt.Errorf("%s takes a PROGRAM and an EXPERIMENT but got %q", cmd.CommandPath(), args)
	}
	return nil
}

// argument returns the n-th argument, or "".
func argument(args []string, n int) string {
	if n < len(args) {
		return args[n]
	}
	return ""
}

func dialProgram(ctx context.Context, text string) (*control.Client, control.Program, error) {
	p, err := control.Find(ctx, "", text)
	if err != nil {
		return nil, p, err
	}
	c, err := control.Dial(ctx, p.Path)
	return c, p, err
}

func findAndSend(ctx context.Context, args []string, r control.Request, result any) (err error) {
	p, err := control.Find(ctx, "", argument(args, 0))
	if err != nil {
		return err
	}
	r.Experiment = argument(args, 1)
	return SendRequest(ctx, p, r, result, timeoutFor(r.Op))
}

// SendRequest sends a request to a program.
func SendRequest(
	ctx context.Context, p control.Program, r control.Request, result any, timeout time.Duration,
) error {
	c, err := control.Dial(ctx, p.Path)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // the answer is complete
	return callProgram(ctx, c, r, result, timeout)
}

const answerTime = 10 * time.Second

func timeoutFor(op string) time.Duration {
	switch op {
	case "attach", "change", "sensors": // they sample sources, for a minute at most
		return time.Minute + answerTime
	}
	return answerTime
}

func callProgram(
	ctx context.Context, c *control.Client, r control.Request, result any, timeout time.Duration,
) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := c.Call(limited, r, result)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("the program did not answer within %v; is it suspended?", timeout)
	}
	return err
}

func experimentStepCommand(a *console.App, name, op, short, long string) *cobra.Command {
	return &cobra.Command{
		Use:               name + " [PROGRAM [EXPERIMENT]]",
		Short:             short,
		Long:              long,
		Example:           "  winperf experiment " + name + " shop load",
		Args:              programAndExperiment,
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			return findAndSend(cmd.Context(), args, control.Request{Op: op}, nil)
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
	if len(args) == 1 && findAndSend(ctx, args, control.Request{Op: "list"}, &l) == nil {
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
		Long: `Change changes a running experiment and writes a record of the change. --source and
--binding are optional if the experiment has only one. A change is applied completely or
not at all.

Exit status: 0 done, 1 nothing was changed, 3 done, but closing a removed sink failed, so
it may lack records.`,
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
			if err := checkSensors(ch.Sensors); err != nil {
				return err
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
			err = SendRequest(cmd.Context(), p, r, &done, timeoutFor(r.Op))
			reportAbsent(cmd.Context(), a, p, done.Absent)
			for _, text := range done.Failed {
				a.Complain(errors.New(text))
				a.Partial = true
			}
			return err
		},
	}

	f := cmd.Flags()
	const interval = "new interval of a source of events, see --source"
	f.Var(input.LiveInterval{Interval: &every}, "every", interval)
	f.StringVar(&ch.Source, "source", "", "`NAME` of the source of events that --every changes, such as tick")
	const sensor = "`PATH` or name of a sensor, replaces the previous sensors; may be repeated"
	f.StringArrayVar(&ch.Sensors, "sensor", nil, sensor)
	f.StringVar(&ch.Binding, "binding", "", "`NAME` of the binding that --sensor changes")
	f.StringArrayVar(&add, "add-sink", nil, sinkHelp)
	f.StringArrayVar(&ch.RemoveSinks, "remove-sink", nil, "remove the sink with this `NAME`; may be repeated")
	return cmd
}

// checkSensors checks sensors, so that an error names the flag. The program checks paths.
func checkSensors(texts []string) error {
	for _, text := range texts {
		if _, err := sensor.ParseName(text); err != nil && !strings.HasPrefix(text, `\`) {
			const form = `--sensor %s: expected a path such as '\Memory\*', or a sensor name such as ` +
				`linux.winperf/Memory/Available Bytes`
			return fmt.Errorf(form, text)
		}
	}
	return nil
}

const sinkHelp = "also deliver records to `WHERE`: a file (.jsonl, .csv, .tsv), an http: or https: URL," +
	" or '|PROGRAM ARG...', started without a shell; may be repeated"

func parseSinks(texts []string) (sinks []control.Sink, err error) {
	for _, text := range texts {
		s := control.Sink{Name: text}

		switch command, program := strings.CutPrefix(text, "|"); {
		case program:
			if s.Program = strings.Fields(command); len(s.Program) == 0 {
				return nil, fmt.Errorf("%q: expected a program after |, such as '|gzip -c'", text)
			}
		case strings.Contains(text, "://"):
			s.URL = text
		default:
			if _, err := delivery.FileFormat(text, ""); err != nil {
				return nil, fmt.Errorf("%s: expected a file .jsonl, .csv or .tsv, a URL, or | and a program", text)
			}
			if s.File, err = filepath.Abs(text); err != nil {
				return nil, err
			}
		}

		sinks = append(sinks, s)
	}
	return sinks, nil
}

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
