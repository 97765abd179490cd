package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/catalogue"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/screen"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

type reader struct {
	app      *console.App
	standard []string // default paths
	// narrow selects the standard paths' values that a table shows; nil selects all.
	narrow func([]winperf.Column) []winperf.Column
	source input.SourceFlags
	output output.Flags
	sel    input.SelectFlags
	every  input.Interval
	thins  func() bool // whether -i was given
	count  input.Count
	how    measureFlags
	log    input.LogFlags
	within input.RangeFlags
	at     string
	get    bool // show only one moment: the last one of a log, or the one of at
	top    bool // the command top

	screen     bool // the output is drawn on a terminal
	summary    bool // with lines about processors, memory, disks and networks
	paths      []winperf.Path
	pathsGiven bool // whether paths were given
	live       bool // the source is not a log
	before     int  // number of cycles before the shown one
	tally      input.Tally
	view       logs.View

	unlisted  input.Unlisted
	anomalies anomalies
}

func (r *reader) flags(cmd *cobra.Command, intervalHelp string) {
	r.every = input.Interval(schedule.DefaultInterval)
	cmd.Flags().VarP(input.LiveInterval{Interval: &r.every}, "interval", "i", intervalHelp)
	r.thins = func() bool { return cmd.Flags().Changed("interval") }
	r.source.Add(cmd)
	if r.output.Formats = sink.Formats(); !r.top {
		r.output.Add(cmd, r.output.Formats)
	}
	r.output.AddExact(cmd)
	r.sel.Add(cmd, &r.source)
	r.sel.AddPDHExact(cmd)
	r.how.add(cmd)
	r.log.Add(cmd)
	r.within.Add(cmd)
	cmd.ValidArgsFunction = input.CompletePath(&r.source)
}

func (r *reader) run(ctx context.Context, args []string) (err error) {
	if err := r.choose(ctx, args); err != nil {
		return err
	}
	opt, err := r.options()
	if err != nil {
		return err
	}

	src, zone, err := r.log.Open(ctx, r.app, r.source.Source)
	if err != nil {
		return err
	}
	defer src.Close()

	r.live, r.anomalies.zone = !src.Describe().Recorded, zone
	if r.live && r.how.speed != 0 {
		return errors.New("--speed is for logs: name one with --source")
	}
	if src, err = r.thinned(src); err != nil {
		return err
	}
	sel, err := r.selection(ctx, src, zone)
	if err != nil {
		return err
	}
	if r.summary = r.screen && (r.top || !r.pathsGiven); r.summary {
		sel.Paths = r.withSummary(r.otherwise(ctx, src, sel.Paths))
	}
	if !r.get {
		r.unlisted = input.FindUnlisted(ctx, src, &sel, &opt, &r.output)
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var show func() *terminal
	if r.screen {
		show = func() *terminal { return r.newTerminal(ctx, src, zone, cancel) }
	}
	out, err := open(ctx, r.app, &r.output, zone, r.count == 1, show)
	if err != nil {
		return err
	}
	out.out.Wait()
	defer func() {
		err = errors.Join(err, out.Close())
		out.reportLate(r.app.Stderr)
		if err == nil {
			r.finish(ctx, src)
		}
	}()

	onHangup(r.app.Stdout, cancel)
	switch {
	case r.get && !r.live:
		return r.getLast(ctx, src, sel, opt, out)
	case r.screen && r.live:
		return r.follow(ctx, src, sel, opt, out)
	case r.screen:
		return r.play(ctx, src, sel, opt, out)
	}
	return r.watch(ctx, src, sel, opt, out)
}

// thinned returns a source with fewer samples if -i was given for a log.
func (r *reader) thinned(src winperf.Source) (winperf.Source, error) {
	switch {
	case r.live || !r.thins():
		return src, nil
	case r.get:
		return src, errors.New("-i: get shows the last sample of a log; " +
			"use winperf watch -i or convert -i to select samples")
	}
	return logs.Thin{Interval: time.Duration(r.every)}.Of(src), nil
}

func (r *reader) selection(
	ctx context.Context, src winperf.Source, zone output.ShownZone,
) (sel winperf.Selection, err error) {
	sel.Paths = r.paths
	if r.at == "" {
		return sel, r.within.Choose(ctx, &sel, zone, src)
	}
	if r.live {
		return sel, input.ErrNoRecord
	}

	m := input.Moments{Zone: zone, Records: []winperf.Source{src}}
	if sel.End, err = m.Parse(ctx, r.at, true); err != nil {
		err = fmt.Errorf("--at %s: %w", r.at, err)
	}
	return sel, err
}

// getLast shows the last selected moment of a log. It reads the log twice: first it counts the moments.
func (r *reader) getLast(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options, out *destination,
) error {
	opt.Count, opt.KeepFirst = 0, true
	count := opt
	count.FramesOnly = true
	n := 0
	for _, err := range measure.Watch(ctx, src, sel, count) {
		if err != nil {
			break // the second pass returns it again
		}
		n++
	}
	r.before = n - 1
	return r.watch(ctx, src, sel, opt, out)
}

func (r *reader) awaited() string {
	if !r.live {
		return "reading the log …"
	}
	return fmt.Sprintf("waiting %v for the second sample that rates need …", time.Duration(r.every))
}

// choose decides which paths are shown where.
func (r *reader) choose(ctx context.Context, args []string) (err error) {
	format, file, err := r.output.Resolve()
	if err != nil {
		return err
	}
	r.screen = !r.get && r.count != 1 && format == "table" && file == "" && onTerminal(r.app)
	if r.top && !r.screen {
		return errNoTerminal
	}

	if r.paths, err = input.Paths(ctx, r.app, args, &r.sel); err != nil {
		for _, arg := range args {
			if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
				return fmt.Errorf("%s is a file, not a counter path; to read it as a log, write --source %s", arg, arg)
			}
		}
		return input.QuoteHint(ctx, []string{r.source.Source}, args, nil, err)
	}
	if r.pathsGiven = len(r.paths) > 0; !r.pathsGiven {
		if r.screen {
			r.paths = screen.PathsOf("Process", true, screen.DefaultCounters["process"])
		} else if r.paths, err = input.ParsePaths(r.standard); err != nil {
			return err
		}
	}

	if len(r.paths) == 0 {
		return errors.New(`no path given; for example '\Memory\Available MBytes'` +
			" (winperf list shows the counters)")
	}
	r.tally = input.NewTally(len(r.paths))
	r.tally.Continued = console.Continues()
	return nil
}

func (r *reader) options() (measure.Options, error) {
	if _, _, err := r.output.Settle(r.source.Source); err != nil { // before anything is opened
		return measure.Options{}, err
	}
	opt, err := r.sel.Options(r.source.Language)
	opt.Interval, opt.Count = time.Duration(r.every), int(r.count)
	opt.CostlyTogether = r.count == 1 // a single answer contains everything
	r.how.set(&opt)
	return opt, err
}

func (r *reader) watch(
	ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options, out *destination,
) error {
	for m, err := range logs.Read(ctx, []*logs.Log{{Source: src}}, sel, opt) {
		if err != nil {
			return err
		}
		if len(m.Cycles) == 0 { // after the last sample of a log
			if r.tally.Cycles == 0 {
				return errors.Join(m.Damage...)
			}
			r.app.Damaged(m.Damage)
			break
		}

		cycle := m.Cycles[0]
		if r.get && !r.live && r.passes(cycle) {
			continue
		}
		if err := r.take(cycle, out); err != nil {
			return err
		}

		if r.tally.Cycles > 1 || !r.live {
			continue
		}
		if r.tally.Hopeless() && !r.pathsGiven && !r.screen {
			return nil // the system has none of the standard paths
		}
		if !r.screen && r.pathsGiven {
			input.ExplainFirst(ctx, r.app, src, &r.tally, r.paths, r.count != 1)
		}
	}

	if r.tally.Cycles == 0 && ctx.Err() == nil {
		return r.noSample(ctx, src)
	}
	return nil
}

func (r *reader) noSample(ctx context.Context, src winperf.Source) error {
	within := r.within
	if r.at != "" {
		within.End = r.at
	}
	return within.Empty(ctx, "the source has no samples", r.anomalies.zone, src)
}

func (r *reader) take(cycle *measure.Cycle, out *destination) error {
	r.tally.Count(cycle)
	if !r.tally.Nothing() {
		out.out.Release()
	}
	if err := r.write(cycle, out); err != nil {
		return err
	}

	if !r.screen {
		r.tally.ReportDamage(r.app)
	}
	if r.how.anomalies {
		r.anomalies.reportCycle(r.app, r.unlisted.Requested(cycle.Anomalies), r.screen)
	}
	return nil
}

// passes reports whether a cycle of a log is not shown. Its damage is reported anyway.
func (r *reader) passes(cycle *measure.Cycle) bool {
	r.before--
	if r.before == -1 {
		return false
	}
	r.tally.Cycles++
	r.tally.CountDamage(cycle)
	return true
}

func (r *reader) write(cycle *measure.Cycle, out *destination) (err error) {
	if r.screen {
		r.show(cycle, out)
		return nil
	}
	if columns := r.shown(cycle, out); len(columns) > 0 {
		err = out.Write(cycle.Time, columns)
	}
	if err != nil {
		return err
	}
	return out.out.Flush()
}

// show shows a cycle on the terminal.
func (r *reader) show(cycle *measure.Cycle, out *destination) {
	columns := r.shown(cycle, out)
	out.terminal.take(cycle.Time, r.live, columns, cycle.Columns())
}

// newTerminal starts to show a source on the terminal.
func (r *reader) newTerminal(
	ctx context.Context, src winperf.Source, zone output.ShownZone, stop func(),
) *terminal {
	opt := screen.Options{
		Title: cmp.Or(src.Describe().Machine, r.source.Source), Summary: r.summary, Exact: r.output.Exact,
		Log: !r.live, Interval: time.Duration(r.every), Given: r.pathsGiven, Waiting: r.awaited(),
		Time: func(t time.Time) string { return t.In(zone.Location).Format(time.DateTime) },
	}
	var t *terminal
	redraw := func() { t.change(func(*screen.Screen) {}) }
	if f := newFacts(ctx, r.source.Source, src, redraw); f != nil {
		opt.Facts, opt.FactNames = f.of, factNames
	}
	t = newTerminal(r.app, screen.New(opt), stop)
	t.start()
	return t
}

// shown returns the values of a cycle to write. A table omits objects and counters that do not exist
// (reported on standard error), and any output omits them if the user gave no paths.
func (r *reader) shown(cycle *measure.Cycle, out *destination) []winperf.Column {
	own := cycle.Columns()[:r.unlisted.Own(cycle)]
	more := winperf.ColumnsOf(r.unlisted.Readings(cycle))
	if n := len(r.paths); r.summary && n <= len(cycle.ColumnParts) {
		own = own[:cycle.ColumnParts[n-1]]
	}
	if r.pathsGiven && (r.screen || out.out.Format != "table") {
		return append(slices.Clip(own), more...)
	}

	own = r.view.Choose(own, func(c *winperf.Column, n int) bool { return !catalogue.Absent(c.Status[n]) })
	if !r.pathsGiven && r.narrow != nil && !r.screen && out.out.Format == "table" {
		own = r.narrow(own)
	}
	return append(slices.Clip(own), more...)
}

func (r *reader) finish(ctx context.Context, src winperf.Source) {
	a, t := r.app, &r.tally
	t.ReportDamage(a)
	t.Denied.Report(a, src)
	r.anomalies.finish(a)
	t.ReportCounts(a, "output")
	if r.pathsGiven || !t.Any() {
		input.Explain(ctx, a, src, t, r.paths, true)
	}

	a.Nothing = t.Nothing()
	if a.Nothing {
		if r.live && r.pathsGiven && r.count != 1 {
			a.Complain(fmt.Errorf("no path matched in %s", console.Plural(t.Cycles, "sample")))
		}
	} else if err := t.CheckExcluded(&r.sel); err != nil {
		a.Complain(err)
		a.Nothing = true
	}
}
