package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/control"
	"github.com/winperf/winperf/internal/safetext"
)

func experimentListCommand(a *console.App) *cobra.Command {
	var sensors, asJSON bool
	var pattern string
	cmd := &cobra.Command{
		Use:   "list [PROGRAM]",
		Short: "Show programs, their events, experiments and sensors",
		Long: `List shows the programs that experiments can be attached to. With PROGRAM it shows the
known events of its code and its experiments: bindings, sources of events, sinks, and the
number of records. --sensors shows the sensors of PROGRAM, or those that --match names.`,
		Example: `  winperf experiment list
  winperf experiment list shop
  winperf experiment list shop --sensors --match '\Process(*)\*'`,
		Args:              console.AtMostOne,
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case sensors:
				return listSensors(cmd.Context(), a, args, pattern, asJSON)
			case pattern != "":
				return fmt.Errorf("--match needs --sensors")
			case len(args) == 0:
				return listPrograms(cmd.Context(), a, asJSON)
			}
			return listProgram(cmd.Context(), a, args, asJSON)
		},
	}

	cmd.Flags().BoolVar(&sensors, "sensors", false, "show the sensors of the program")
	cmd.Flags().StringVar(&pattern, "match", "", "show only sensors whose name or path matches `PATTERN`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON, one line for each program or sensor")
	return cmd
}

// listPrograms shows a line for each program, and reports programs that do not answer.
func listPrograms(ctx context.Context, a *console.App, asJSON bool) error {
	programs, err := control.Programs(ctx, "")
	if err != nil {
		return err
	}
	if len(programs) == 0 {
		a.Complain(control.ErrNobody)
		return nil
	}

	table := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "PROGRAM\tPROCESS\tEVENTS\tEXPERIMENTS")
	}
	for i, answer := range queryPrograms(ctx, programs, answerTime) {
		p, l := programs[i], answer.listing
		if answer.err != nil {
			a.Complain(fmt.Errorf("%s %d: %w", p.Name, p.PID, answer.err))
			a.Partial = true
			continue
		}
		if asJSON {
			if err := writeJSON(a, l); err != nil {
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

type programAnswer struct {
	listing control.Listing
	err     error
}

// queryPrograms queries all programs, several in parallel, because a suspended one does not answer.
func queryPrograms(ctx context.Context, programs []control.Program, timeout time.Duration) []programAnswer {
	const together = 16
	answers := make([]programAnswer, len(programs))
	places := make(chan struct{}, together)
	var running sync.WaitGroup
	for i, p := range programs {
		places <- struct{}{}
		running.Go(func() {
			answers[i].err = SendRequest(ctx, p, control.Request{Op: "list"}, &answers[i].listing, timeout)
			<-places
		})
	}
	running.Wait()
	return answers
}

func writeJSON(a *console.App, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = safetext.NewJSON(a.Stdout).Write(append(text, '\n'))
	return err
}

func listProgram(ctx context.Context, a *console.App, args []string, asJSON bool) error {
	var l control.Listing
	if err := findAndSend(ctx, args, control.Request{Op: "list"}, &l); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(a, l)
	}

	out := safetext.NewTerminal(a.Stdout)
	write := func(form string, args ...any) { // escapes line ends in names
		for i, arg := range args {
			if text, ok := arg.(string); ok {
				args[i] = safetext.Line(text)
			}
		}
		fmt.Fprintf(out, form, args...)
	}
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

func describeExperiment(write func(form string, args ...any), e *control.Experiment) {
	by := "the program"
	if e.By != "" {
		by = e.By
	}
	write("experiment  %s: %s since %s by %s; %d records, %d dropped, %d waiting%s\n",
		e.Name, e.State, e.Attached.Format(time.RFC3339), by, e.Stored, e.Dropped, e.Waiting, trouble(e.Error))
	for _, b := range e.Bindings {
		write("  binding   %s: events %s; sensors %s; %d events, %d failed, %d dropped (%s)\n", b.Name,
			strings.Join(b.Events, ", "), strings.Join(b.Sensors, ", "), b.Emitted, b.Failed, b.Dropped, b.Policy)
	}
	for _, s := range e.Sources {
		what := strings.TrimSpace(s.Kind + " " + s.Detail)
		write("  source    %s: %s; %d events%s\n", s.Name, what, s.Emitted, trouble(s.Error))
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

func listSensors(ctx context.Context, a *console.App, args []string, pattern string, asJSON bool) error {
	var all control.Sensors
	if err := findAndSend(ctx, args, control.Request{Op: "sensors", Pattern: pattern}, &all); err != nil {
		return err
	}
	if len(all.Sensors) == 0 && pattern != "" {
		return fmt.Errorf("no sensor matches %q; winperf experiment list PROGRAM --sensors shows all", pattern)
	}

	for _, s := range all.Sensors {
		err := error(nil)
		if asJSON {
			err = writeJSON(a, s)
		} else {
			_, err = fmt.Fprintln(a.Stdout, safetext.Line(s.Path))
		}
		if err != nil {
			return err
		}
	}

	if more := all.Of - len(all.Sensors); more > 0 {
		a.Complain(fmt.Errorf("%d more sensors match; select fewer with --match", more))
		a.Partial = true
	}
	return nil
}
