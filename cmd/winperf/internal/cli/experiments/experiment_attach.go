package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
	"github.com/winperf/winperf/internal/control"
	"github.com/winperf/winperf/sink"
)

type attachFlags struct {
	file    string // with the specification
	sinks   []string
	every   input.Interval
	output  output.Flags
	spec    control.Spec
	binding control.Binding
}

func experimentFormats() []sink.Format {
	whole := sink.Format{
		Name: delivery.FormatRecords, Extensions: []string{".records", ".jsonl", ".ndjson"},
		Description: "whole records, a line of JSON each",
	}
	return append([]sink.Format{whole}, slices.DeleteFunc(sink.Formats(), func(f sink.Format) bool {
		return f.Name == "paths"
	})...)
}

func experimentAttachCommand(a *console.App) *cobra.Command {
	var f attachFlags
	cmd := &cobra.Command{
		Use:   "attach [PROGRAM]",
		Short: "Measure sensors at the events of a program",
		Long: `Attach starts an experiment in PROGRAM. It measures the sensors at each event whose name
matches --event, at the interval of --every, or both. It writes the records until you stop
it (Ctrl-C) or another command ends the experiment. Without --keep the experiment ends with
this command.

Several bindings, other sources of events, and headers for a URL require a specification in
JSON (--spec, see docs/experiments.md).

The default format, records, contains whole records as JSON lines; .jsonl files have this
format. The other formats contain only the values; -f jsonl writes a line for each value.

Exit status: 0 done, 1 nothing was attached, 3 some events gave no values, a sensor
matched nothing, or records were lost.`,
		Example: `  winperf experiment attach shop --event 'checkout*' --sensor '\Process(shop)\% Processor Time'
  winperf experiment attach shop --every 1s --sensor '\Process(shop)\*' -o load.csv
  winperf experiment attach shop --spec load.json --keep`,
		Args:              console.AtMostOne,
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := specOf(a, &f)
			if err != nil {
				return err
			}
			return attachExperiment(cmd.Context(), a, args, spec, &f.output)
		},
	}
	f.add(cmd)
	return cmd
}

func (f *attachFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "spec", "", "`FILE` with the experiment in JSON; - is standard input")
	flags.StringVar(&f.spec.Name, "name", "", "`NAME` of the experiment (default: experiment)")
	flags.StringArrayVar(&f.binding.Events, "event", nil, "`PATTERN` of event names; may be repeated")
	flags.StringArrayVar(&f.binding.Sensors, "sensor", nil, "`PATH` or name of a sensor; may be repeated")
	const every = "measure at this interval; the event is named tick"
	flags.Var(input.LiveInterval{Interval: &f.every}, "every", every)
	flags.BoolVar(&f.binding.Raw, "raw", false, "add the raw values to the records")

	const names = "show processes and threads as `RULE`: pid, name:pid or name (default: name);" +
		" with pid or name:pid, \\Process(self) and \\Thread(self) are the program"
	flags.StringVar(&f.spec.Names, "names", "", names)
	console.Complete(cmd, "names", cobra.FixedCompletions([]cobra.Completion{"pid", "name:pid", "name"},
		cobra.ShellCompDirectiveNoFileComp))
	const policy = "`ACTION` when the queue of records is full: drop_oldest, drop_newest, spill (to disk)," +
		" or wait, which blocks the program (default: drop_oldest)"
	flags.StringVar(&f.binding.Policy, "policy", "", policy)
	flags.StringArrayVar(&f.sinks, "sink", nil, sinkHelp)
	const keep = "continue the experiment when this command ends; see receive and end"
	flags.BoolVar(&f.spec.Keep, "keep", false, keep)
	f.output.Add(cmd, experimentFormats())
	console.Complete(cmd, "policy", cobra.FixedCompletions(policies, cobra.ShellCompDirectiveNoFileComp))
	console.Complete(cmd, "sensor", input.CompletePath(&input.SourceFlags{Source: "local:"}))
}

var policies = []string{"drop_oldest", "drop_newest", "spill", "wait"}

func specOf(a *console.App, f *attachFlags) (*control.Spec, error) {
	if p := f.binding.Policy; p != "" && !slices.Contains(policies, p) {
		return nil, fmt.Errorf("--policy %s: expected drop_oldest, drop_newest, spill or wait", p)
	}
	sinks, err := parseSinks(f.sinks)
	if err != nil {
		return nil, err
	}
	if f.file != "" {
		b := &f.binding
		if len(b.Events)+len(b.Sensors) > 0 || f.every != 0 || b.Raw || b.Policy != "" {
			return nil, errors.New("--spec cannot be combined with --event, --sensor, --every," +
				" --raw and --policy")
		}
		spec, err := readSpec(a, f.file)
		if err != nil {
			return nil, err
		}
		spec.Sinks = append(spec.Sinks, sinks...)
		spec.Keep = spec.Keep || f.spec.Keep
		if f.spec.Name != "" {
			spec.Name = f.spec.Name
		}
		if f.spec.Names != "" {
			spec.Names = f.spec.Names
		}
		return spec, nil
	}

	const tick = "tick"
	spec, b := f.spec, f.binding
	switch {
	case len(b.Sensors) == 0:
		return nil, errors.New("attach needs --sensor PATH or --spec FILE;" +
			" winperf experiment list PROGRAM --sensors shows sensors")
	case len(b.Events) == 0 && f.every == 0:
		return nil, errors.New("attach needs --event PATTERN, --every DURATION or both;" +
			" winperf experiment list PROGRAM shows events")
	}
	if err := checkSensors(b.Sensors); err != nil {
		return nil, err
	}
	if f.every != 0 {
		spec.Events = []control.EventSource{{Name: tick, Every: control.Interval(f.every)}}
		b.Events = append(b.Events, tick)
	}
	spec.Bindings, spec.Sinks = []control.Binding{b}, sinks
	return &spec, nil
}

func experimentReceiveCommand(a *console.App) *cobra.Command {
	var output output.Flags
	cmd := &cobra.Command{
		Use:   "receive [PROGRAM [EXPERIMENT]]",
		Short: "Write the records of an experiment that was attached with --keep",
		Long: `Receive writes the records of an experiment that was attached with --keep, until you stop
it (Ctrl-C) or the experiment ends. It first writes the records that no command has
received.`,
		Example:           `  winperf experiment receive shop load -o table`,
		Args:              programAndExperiment,
		ValidArgsFunction: completeProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			r := control.Request{Op: "receive", Experiment: argument(args, 1)}
			return receiveRecords(cmd.Context(), a, args, r, false, &output)
		},
	}
	output.Add(cmd, experimentFormats())
	return cmd
}

func attachExperiment(
	ctx context.Context, a *console.App, args []string, spec *control.Spec, o *output.Flags,
) error {
	return receiveRecords(ctx, a, args, control.Request{Op: "attach", Spec: spec}, !spec.Keep, o)
}

// receiveRecords sends a request that is answered by records, and writes them until ctx or the experiment
// ends. ends means that the experiment ends with this command.
func receiveRecords(
	ctx context.Context, a *console.App, args []string, r control.Request, ends bool, o *output.Flags,
) (err error) {
	out, err := recordOutput(a, o)
	if err != nil {
		return err
	}
	attached := false
	defer func() {
		if attached {
			err = errors.Join(err, out.Close(context.WithoutCancel(ctx)))
		} else {
			err = errors.Join(err, delivery.Discard(ctx, out))
		}
	}()
	c, p, err := dialProgram(ctx, argument(args, 0))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // the answer is complete

	var at control.Attached
	if err := callProgram(ctx, c, r, &at, timeoutFor(r.Op)); err != nil {
		return err
	}
	attached = true
	a.Complain(fmt.Errorf("receiving %s of %s, process %d", at.Experiment, p.Name, p.PID)) // not an error
	if r.Spec != nil {
		reportUnknown(ctx, a, c, r.Spec)
		reportAbsent(ctx, a, p, at.Absent)
	}
	in := receiving{app: a, client: c, out: out, named: map[string]counter.Status{}}
	err = in.receive(ctx)
	if ctx.Err() != nil {
		err = in.leave(ctx, at.Experiment, ends)
	}
	in.reportLosses()
	return err
}

func recordOutput(a *console.App, o *output.Flags) (delivery.Sink, error) {
	format, file, err := o.Settle()
	if err != nil {
		return nil, err
	}
	if file != "" {
		return delivery.NewFile(file, delivery.FileOptions{Format: format, Overwrite: o.Overwrite})
	}
	size, terminal := console.IsTerminal(a.Stdout)
	opt := sink.Options{Human: terminal && !o.Exact}
	if terminal {
		opt.Size = size
	}
	return delivery.NewWriter(a.Stdout, format, opt)
}

type receiving struct {
	app     *console.App
	client  *control.Client
	out     delivery.Sink
	failed  int    // records without values
	last    uint64 // number of the last record
	dropped uint64 // records dropped by the program
	ended   bool
	named   map[string]counter.Status // by path; OK if it ever matched
}

// reportUnknown reports patterns that match no known event. Programs need not declare their events.
func reportUnknown(ctx context.Context, a *console.App, c *control.Client, spec *control.Spec) {
	var l control.Listing
	if len(spec.Events) > 0 || callProgram(ctx, c, control.Request{Op: "list"}, &l, answerTime) != nil {
		return
	}
	for i := range spec.Bindings {
		for _, text := range spec.Bindings[i].Events {
			if len(l.Events) > 0 && !slices.ContainsFunc(l.Events, winperf.CompilePattern(text).Match) {
				const form = "no known event matches %q; known events are %s"
				a.Complain(fmt.Errorf(form, text, strings.Join(l.Events[:min(len(l.Events), 10)], ", ")))
			}
		}
	}
}

func (r *receiving) receive(ctx context.Context) error {
	for !r.ended {
		b, err := r.client.Next(ctx)
		if err != nil && r.last > 0 && ctx.Err() == nil {
			err = fmt.Errorf("record %d is the last one received: %w", r.last, err)
		}
		if err != nil {
			return err
		}
		if err := r.write(ctx, &b); err != nil {
			return err
		}
		if r.ended = b.Ended; b.Err != nil {
			return fmt.Errorf("some sinks did not get all records: %w", b.Err)
		}
	}
	return nil
}

func (r *receiving) write(ctx context.Context, b *control.Batch) error {
	var items []delivery.Item
	for _, line := range b.Records {
		item, err := delivery.ParseItem(line)
		if err != nil {
			return err
		}
		items = append(items, item)

		record, err := experiment.ParseRecord(line)
		if err != nil {
			return err
		}
		r.last = max(r.last, record.Number)
		if r.dropped += record.Dropped; record.Err != "" {
			r.failed++
		}
		r.see(&record)
	}

	if len(items) > 0 {
		if err := r.out.Deliver(context.WithoutCancel(ctx), items); err != nil {
			return err
		}
	}
	_ = b.Done() // if the program has ended, the next batch has the error
	return nil
}

func (r *receiving) see(rec *experiment.Record) {
	const most = 10_000
	for i := range rec.Values {
		v := &rec.Values[i]
		status := v.Status
		if !status.NamesNothing() {
			status = counter.OK
		}
		path := pathOf(v.Source, v.Path)
		before, known := r.named[path]
		if known && before != counter.OK || !known && len(r.named) < most {
			r.named[path] = status
		}
	}
}

// leave ends the experiment if requested, and waits for its last records.
func (r *receiving) leave(ctx context.Context, name string, ends bool) error {
	if !ends {
		// Not an error.
		r.app.Complain(fmt.Errorf("%s continues; use winperf experiment receive and end", name))
		return nil
	}
	const timeout = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- r.client.Call(ctx, control.Request{Op: "detach", Experiment: name}, nil) }()
	err := r.receive(ctx)
	if err == nil {
		return <-done
	}
	cancel()
	return errors.Join(err, <-done)
}

func (r *receiving) reportLosses() {
	if r.failed > 0 {
		r.app.Complain(fmt.Errorf("%d events gave no values; their records have the reasons", r.failed))
		r.app.Partial = true
	}
	if r.dropped > 0 {
		r.app.Complain(fmt.Errorf("the queue was full, %d records were dropped", r.dropped))
		r.app.Partial = true
	}
	if l, ok := r.out.(sink.LateCounter); ok && l.Late() > 0 {
		r.app.Complain(fmt.Errorf(lateForm, l.Late(), "the output"))
	}

	for _, path := range slices.Sorted(maps.Keys(r.named)) {
		if r.named[path] != counter.OK {
			r.app.Complain(fmt.Errorf("%s never matched: %v", path, r.named[path]))
			r.app.Partial = true
		}
	}
}
