package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/experiment/control"
	"github.com/winperf/winperf/internal/safetext"
)

func (a *app) experimentCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "experiment",
		Short: "Measure the events of running programs, and manage that",
		Long: `Experiment shows the programs of your account that let experiments be attached to
them, attaches experiments, which measure sensors at the events of the program, and
pauses, changes and ends them.

A program takes part with one call (control.Listen in Go). PROGRAM is its name or
process id; it may be left out where only one listens. EXPERIMENT may be left out
where the program has only one.`,
		Example: `  winperf experiment list
  winperf experiment attach shop --event 'checkout*' --sensor '\Process(shop)\% Processor Time'
  winperf experiment pause shop
  winperf experiment change shop --every 5s
  winperf experiment end shop`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.experimentListCommand(), a.experimentAttachCommand(), a.experimentReceiveCommand(),
		a.experimentStepCommand("pause", "pause", "Pass over events until resume"),
		a.experimentStepCommand("resume", "resume", "Measure events again after pause"),
		a.experimentChangeCommand(),
		a.experimentStepCommand("end", "detach", "End an experiment; its last records are delivered"))
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
	c, _, err := dialProgram(ctx, argument(args, 0))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // all was said
	r.Experiment = argument(args, 1)
	return c.Call(ctx, r, result)
}

// experimentStepCommand is a command that is one request.
func (a *app) experimentStepCommand(name, op, short string) *cobra.Command {
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
		return typeable(names), directive
	}

	var l control.Listing
	if len(args) == 1 && ask(ctx, args, control.Request{Op: "list"}, &l) == nil {
		for _, e := range l.Experiments {
			if hasPrefixFold(e.Name, text) {
				names = append(names, e.Name)
			}
		}
	}
	return typeable(names), directive
}

func (a *app) experimentListCommand() *cobra.Command {
	var sensors, asJSON bool
	var pattern string
	cmd := &cobra.Command{
		Use:   "list [PROGRAM]",
		Short: "Show programs, their events and experiments, or what can be measured",
		Long: `List shows the programs that experiments can be attached to, or of PROGRAM the
events of its code, as far as they are known, and its experiments: bindings, sources
of events, sinks, and how many records there were. With --sensors it shows what can be
measured in PROGRAM, or of that what --match names.`,
		Example: `  winperf experiment list
  winperf experiment list shop
  winperf experiment list shop --sensors --match '\Process(*)\*'`,
		Args:              atMostOne("PROGRAM"),
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case sensors:
				return a.listSensors(cmd.Context(), args, pattern, asJSON)
			case pattern != "":
				return fmt.Errorf("--match goes with --sensors")
			case len(args) == 0:
				return a.listPrograms(cmd.Context(), asJSON)
			}
			return a.listProgram(cmd.Context(), args, asJSON)
		},
	}

	cmd.Flags().BoolVar(&sensors, "sensors", false, "show what can be measured")
	cmd.Flags().StringVar(&pattern, "match", "", "only sensors whose name or path fits `PATTERN`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON, a line for each program or sensor")
	return cmd
}

// listPrograms shows all programs, each with one line. One that does not answer is told.
func (a *app) listPrograms(ctx context.Context, asJSON bool) error {
	programs, err := control.Programs(ctx, "")
	if err != nil {
		return err
	}
	if len(programs) == 0 {
		a.complain(control.ErrNobody)
		return nil
	}

	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "PROGRAM\tPROCESS\tEVENTS\tEXPERIMENTS")
	}
	for _, p := range programs {
		var l control.Listing
		if err := ask(ctx, []string{fmt.Sprint(p.PID)}, control.Request{Op: "list"}, &l); err != nil {
			a.complain(fmt.Errorf("%s %d: %w", p.Name, p.PID, err))
			a.partial = true
			continue
		}
		if asJSON {
			if err := a.writeJSON(l); err != nil {
				return err
			}
			continue
		}

		var states []string
		for _, e := range l.Experiments {
			states = append(states, fmt.Sprintf("%s (%s)", e.Name, e.State))
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\n", safetext.Line(p.Name), p.PID, len(l.Events),
			safetext.Line(cmp.Or(strings.Join(states, ", "), "-")))
	}
	return table.Flush()
}

// writeJSON writes a line.
func (a *app) writeJSON(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = safetext.NewJSON(a.stdout).Write(append(text, '\n'))
	return err
}

func (a *app) listProgram(ctx context.Context, args []string, asJSON bool) error {
	var l control.Listing
	if err := ask(ctx, args, control.Request{Op: "list"}, &l); err != nil {
		return err
	}
	if asJSON {
		return a.writeJSON(l)
	}

	out := safetext.NewTerminal(a.stdout)
	write := func(form string, args ...any) { fmt.Fprintf(out, form, args...) }
	write("%s, process %d, measures %s\n", l.Program, l.PID, strings.Join(l.Sources, ", "))
	for _, name := range l.Events {
		write("event       %s\n", name)
	}
	for _, e := range l.Experiments {
		describeExperiment(write, &e)
	}
	_, err := out.Write(nil)
	return err
}

// describeExperiment shows an experiment with its parts.
func describeExperiment(write func(form string, args ...any), e *control.Experiment) {
	by := "the program"
	if e.By != "" {
		by = e.By
	}
	write("experiment  %s: %s since %s by %s; %d records, %d dropped, %d waiting\n",
		e.Name, e.State, e.Attached.Format(time.RFC3339), by, e.Stored, e.Dropped, e.Waiting)
	for _, b := range e.Bindings {
		write("  binding   %s: events %s; sensors %s; %d events, %d failed, %d dropped (%s)\n", b.Name,
			strings.Join(b.Events, ", "), strings.Join(b.Sensors, ", "), b.Emitted, b.Failed, b.Dropped, b.Policy)
	}
	for _, s := range e.Sources {
		write("  source    %s: %s %s; %d events%s\n", s.Name, s.Kind, s.Detail, s.Emitted, trouble(s.Error))
	}
	for _, s := range e.Sinks {
		write("  sink      %s: %d delivered, %d lost, %d refused%s\n",
			s.Name, s.Delivered, s.Lost, s.Refused, trouble(s.Error))
	}
}

func trouble(text string) string {
	if text == "" {
		return ""
	}
	return "; " + text
}

func (a *app) listSensors(ctx context.Context, args []string, pattern string, asJSON bool) error {
	var all control.Sensors
	if err := ask(ctx, args, control.Request{Op: "sensors", Pattern: pattern}, &all); err != nil {
		return err
	}
	for _, s := range all.Sensors {
		err := error(nil)
		if asJSON {
			err = a.writeJSON(s)
		} else {
			_, err = fmt.Fprintln(a.stdout, safetext.Line(s.Path))
		}
		if err != nil {
			return err
		}
	}
	if more := all.Of - len(all.Sensors); more > 0 {
		a.complain(fmt.Errorf("%d more fit; --match says which ones to show", more))
		a.partial = true
	}
	return nil
}

func (a *app) experimentChangeCommand() *cobra.Command {
	var ch control.Change
	var every interval
	var add []string
	cmd := &cobra.Command{
		Use:   "change [PROGRAM [EXPERIMENT]]",
		Short: "Change the interval, the sensors or the sinks of an experiment",
		Long: `Change changes an experiment while it runs; a record of the experiment says so.
--source and --binding may be left out where there is only one.`,
		Example: `  winperf experiment change shop --every 5s
  winperf experiment change shop load --sensor '\Process(shop)\*'
  winperf experiment change shop --add-sink https://example.com/records`,
		Args:              programAndExperiment,
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ch.Every = control.Duration(every)
			if ch.AddSinks, err = parseSinks(add); err != nil {
				return err
			}
			return ask(cmd.Context(), args, control.Request{Op: "change", Change: &ch}, nil)
		},
	}

	f := cmd.Flags()
	f.Var(liveInterval{&every}, "every", "the interval of a source of events")
	f.StringVar(&ch.Source, "source", "", "the source of events that --every is about, by its `NAME`")
	const sensor = "`PATH` or name of a sensor, in place of the former ones; may be repeated"
	f.StringArrayVar(&ch.Sensors, "sensor", nil, sensor)
	f.StringVar(&ch.Binding, "binding", "", "the binding that --sensor is about, by its `NAME`")
	f.StringArrayVar(&add, "add-sink", nil, sinkHelp)
	f.StringArrayVar(&ch.RemoveSinks, "remove-sink", nil, "end the sink of this `NAME`; may be repeated")
	return cmd
}

const sinkHelp = "deliver records to `WHERE`, too: a file, an http: or https: URL, or behind | a program;" +
	" may be repeated"

// parseSinks reads what stands behind --sink.
func parseSinks(texts []string) (sinks []control.Sink, err error) {
	for _, text := range texts {
		s := control.Sink{Name: text}
		switch command, program := strings.CutPrefix(text, "|"); {
		case program:
			s.Program = strings.Fields(command)
		case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
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
func (a *app) readSpec(file string) (*control.Spec, error) {
	const most = 1 << 20
	in, err := a.openInput(file, "a specification")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if file == "-" {
		file = standardInput
	}
	spec, err := control.ReadSpec(in, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return spec, nil
}
