package summary

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

// summarizer is the summary command.
type summarizer struct {
	app      *console.App
	source   input.SourceFlags
	output   output.Flags
	sel      input.SelectFlags
	log      input.LogFlags
	files    []string // the names of the logs
	more     []string // paths
	within   input.RangeFlags
	every    input.Interval
	thins    func() bool // -i was given
	during   input.Interval
	above    bound
	order    sortKey
	percents percentiles
	most     input.Count // instances of each counter; 0 is all
	quiet    bool

	asked     []winperf.Path
	selection winperf.Selection
	lifetimes lifetimes
	unlisted  input.Unlisted
	options   measure.Options
	tally     input.Tally
	damage    console.DamageCount
	gathered  *logs.Gatherer
	zone      output.ShownZone
}

var summaryFormats = []sink.Format{
	{Name: "table", Extensions: []string{".txt"}, Description: "for people"},
	{Name: "csv", Extensions: []string{".csv"}, Description: "a row for each counter"},
	{Name: "jsonl", Extensions: []string{".jsonl", ".ndjson"}, Description: "a JSON object for each counter"},
}

// Command returns the command summary.
func Command(a *console.App) *cobra.Command {
	s := &summarizer{app: a, every: input.Interval(schedule.DefaultInterval)}
	s.percents = slices.Clone(defaultPercentiles)
	cmd := &cobra.Command{
		Use:   "summary LOG... [PATH...]",
		Short: "Show the distribution of each counter's values in logs, or during a measurement",
		Long: `Summary reads logs and captures once and shows for each counter and instance the
number of values, minimum, average, maximum and when it was, total, standard deviation,
percentiles and the last value. With paths it shows only their counters. An argument that
begins with \ is a path, unless a file of that name exists. Several logs are treated as
one: a counter in two of them has one row.
With --for it measures this machine, or --source, for that time instead.

  count      number of values. Samples in which the instance existed without a value
             are missing. The first sample of a rate is neither
  average    weighted by time for rates, percentages of time and queue lengths, else
             the plain mean; csv and tsv logs do not contain the counter type, so
             there it is always the plain mean, and in JSON lines only rates show
  at         time of the first value that is as large as the maximum
  total      of a rate its sum over the time, such as bytes, and of a percentage of time
             the seconds; other values, and csv and tsv logs, have none
  deviation  standard deviation of a sample
  p95        95 % of the values are at most this value, which is a measured one. With
             more than 1,024 values it is approximate; the table shows the error
  above      number of values above --above; longest is the longest unbroken time above

--top N shows of each counter the N largest instances, by --sort total (the default),
average or maximum. Averages and maxima count by the time that the instance was present,
so one that ended after two samples does not come first. A counter without a total goes
by its average. _Total and the process Idle are not among them.

A process has one row for its whole lifetime, even if its name or its number changes: a path
such as \Process(svchost)\* shows all that were the first of the name at some time. Its rates count from
its start, so that short processes have some (not with --pdh-exact). If % Processor
Time of every process is selected, the last row of the table is "(not in a listed
process)": the time of all processors that no process used, such as that of processes
which ended between two samples. csv and jsonl do not have it. On a terminal
numbers of bytes and large rates are rounded (--exact shows all digits), and if a line
does not fit, the numbers are below the name. The formats csv and jsonl also have the unit
of the total, and "present": the seconds that all values of the row stand for.

Exit status: 0 done, 1 nothing could be shown, 3 a path gave no value, some values
could not be read for lack of permission, or some data was damaged.`,
		Example: `  winperf summary load.blg
  winperf summary load.blg '\Processor(*)\% Processor Time' --above 80
  winperf summary load.blg '\Process(*)\% Processor Time' --top 5
  winperf summary monday.csv tuesday.csv --sort p95 -o both.csv
  winperf summary night.capture '\Process(*)\Working Set' --sort maximum
  winperf summary --for 60 -i 1 '\PhysicalDisk(*)\*'`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args) },
	}
	s.flags(cmd)
	return cmd
}

func (s *summarizer) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	const path = "only what this `PATH` names, as an argument that is a path; may be given several times"
	f.StringArrayVar(&s.more, "path", nil, path)

	f.Var(&s.during, "for", "measure a live source for this time: 60, 10m, 8:00:00")
	const every = "time between samples: 2, 0.5, 500ms; of a log the first sample of each interval"
	f.VarP(input.LiveInterval{Interval: &s.every}, "interval", "i", every)
	s.thins = func() bool { return f.Changed("interval") }
	s.within.Add(cmd)

	f.Var(&s.above, "above", "show the number of values above NUMBER, and the longest unbroken time above it")
	f.Var(&s.order, "sort", "sort by KEY, largest first: "+sortKeyNames()+", or a percentile such as p95")
	f.Var(&s.most, "top", "show of each counter the `N` largest instances, by --sort; see above")
	f.Var(&s.percents, "percentiles", "percentiles to show")

	f.BoolVar(&s.quiet, "quiet", false, "show no progress")
	s.source.Add(cmd)
	s.output.Add(cmd, summaryFormats)
	s.output.AddExact(cmd)
	s.sel.Add(cmd, &s.source)
	s.sel.AddPDHExact(cmd)
	s.log.Add(cmd)

	console.Complete(cmd, "path", input.CompletePath(&s.source))
	console.Complete(cmd, "sort", completeSort)
	cmd.ValidArgsFunction = input.CompleteLogs
}

func (s *summarizer) run(ctx context.Context, args []string) (err error) {
	if err := s.settle(ctx, args); err != nil {
		return err
	}
	s.gathered = &logs.Gatherer{Above: s.above.value}

	if s.during > 0 {
		err = s.watch(ctx)
	} else {
		err = s.read(ctx)
	}

	if err != nil {
		return err
	}
	out, err := output.Create(context.WithoutCancel(ctx), s.app, &s.output)
	if err != nil {
		return err
	}
	return errors.Join(s.write(out), out.Close())
}

// settle reads the options before anything is opened.
func (s *summarizer) settle(ctx context.Context, args []string) error {
	if _, _, err := s.output.Resolve(); err != nil {
		return err
	}
	if err := s.order.check(s.above.value != nil, s.percents); err != nil {
		return err
	}

	if s.most > 0 {
		if err := s.order.checkTop(); err != nil {
			return err
		}
	}

	names, more, err := input.SplitArguments(ctx, args, nil)
	if err != nil {
		return err
	}
	s.files, s.more = names, append(s.more, more...)

	switch {
	case len(names) > 0 && s.during > 0:
		return errors.New("--for measures a live source; --begin and --end cut logs")
	case len(names) == 0 && s.during == 0 && s.source.Source == "local:":
		return errors.New("no log given, and no --for: winperf summary load.blg, or winperf summary --for 60")
	case s.during > 0 && s.within.Given():
		return errors.New("--begin and --end cut logs; --for says how long to measure")
	case s.during > 0 && s.during < s.every:
		return fmt.Errorf("--for %s: shorter than the interval of %s", s.during.String(), s.every.String())
	}

	paths, err := input.Paths(ctx, s.app, s.more, &s.sel)
	if err == nil && len(paths) == 0 && s.during > 0 {
		paths, err = input.ParsePaths(input.StandardPaths)
	}

	if err != nil {
		return input.QuoteHint(ctx, append(names, s.source.Source), s.more, names, err)
	}
	s.asked = paths
	s.lifetimes, paths = newLifetimes(paths)
	s.selection, s.tally = input.SelectionOf(paths)
	s.options, err = s.sel.Options(s.source.Language)
	return err
}

// read reads logs, one after the other.
func (s *summarizer) read(ctx context.Context) (err error) {
	names := s.files
	if len(names) == 0 {
		names = []string{s.source.Source}
	}
	all, zone, err := input.OpenLogs(ctx, s.app, names, &s.log, &s.within, &s.selection)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, input.CloseLogs(all)) }()

	s.zone = zone
	s.unlisted = input.FindUnlisted(ctx, all[0].Source, &s.selection, &s.options, &s.output)
	for _, log := range all {
		if s.thins() {
			log.Source = logs.Thin{Interval: time.Duration(s.every)}.Of(log.Source)
		}
		if err := s.readLog(ctx, log); err != nil {
			return err
		}
	}

	s.damage.Tell(s.app)
	if s.tally.Cycles == 0 {
		return s.within.Empty(ctx, "there are no samples to sum up", zone, input.SourcesOf(all)...)
	}
	return s.explain(ctx, all[0].Source, len(s.more) > 0 || s.sel.Counters != "")
}

// ReadLog reads one log.
func (s *summarizer) readLog(ctx context.Context, log *logs.Log) error {
	p := output.NewProgress(s.app, s.quiet)
	defer p.Clear()
	opt := s.options
	opt.KeepFirst = true
	s.gathered.Begin()
	s.unlisted.Begin()
	for m, err := range logs.Read(ctx, []*logs.Log{log}, s.selection, opt) {
		if err != nil {
			return err
		}
		s.app.Notice(m.Damage)
		s.damage.Add(m.Damage)
		for _, cycle := range m.Cycles {
			s.add(cycle)
		}
		p.Show(m, s.tally.Cycles)
	}
	return ctx.Err()
}

// add adds a cycle to the statistics.
func (s *summarizer) add(cycle *measure.Cycle) {
	s.tally.Count(cycle)
	s.gathered.Add(cycle)
	s.lifetimes.add(cycle, s.gathered)
	s.unlisted.Add(cycle, s.gathered)
}

// watch measures a live source until the time is over or the user ends it.
func (s *summarizer) watch(ctx context.Context) error {
	src, zone, err := s.log.Open(ctx, s.app, s.source.Source)
	if err != nil {
		return err
	}
	defer src.Close()

	if src.Describe().Recorded {
		return errors.New("--for measures a live source; --begin and --end cut logs")
	}
	s.zone = zone
	s.unlisted = input.FindUnlisted(ctx, src, &s.selection, &s.options, &s.output)
	opt := s.options
	opt.Interval = time.Duration(s.every)
	opt.Count, opt.KeepFirst = int(s.during/s.every)+1, true // the first sample begins the first interval

	end := time.Now().Add(time.Duration(s.during))
	for cycle, err := range measure.Watch(ctx, src, s.selection, opt) {
		if err != nil {
			return err
		}
		s.add(cycle)

		// Samples that were missed are not made up for.
		if time.Until(end) < opt.Interval/2 {
			break
		}
	}

	if s.tally.Cycles == 0 {
		return errors.New("nothing was measured")
	}
	s.tally.ReportDamage(s.app)
	return s.explain(ctx, src, len(s.more) > 0 || s.sel.Counters != "")
}

// explain tells the user which values may not be read. If the user named paths (asked), or
// no path had a value, it also tells why paths gave none. It returns an error where the
// summary would be empty.
func (s *summarizer) explain(ctx context.Context, src winperf.Source, asked bool) error {
	s.lifetimes.finish(&s.tally)
	s.tally.Denied.Report(s.app, src)
	if asked || !s.tally.Any() {
		input.Explain(ctx, s.app, src, &s.tally, s.asked, true)
	}
	if !slices.ContainsFunc(s.gathered.Rows(), s.shows) {
		return errors.New("there is no value to sum up")
	}
	return nil
}

// shows reports whether one of the paths names a row.
func (s *summarizer) shows(row logs.Row) bool {
	name := s.gathered.Name(row.Series)
	return s.lifetimes.has(name) && !s.unlisted.Hidden[name]
}
