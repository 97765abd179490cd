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

type summarizer struct {
	app      *console.App
	source   input.SourceFlags
	output   output.Flags
	sel      input.SelectFlags
	log      input.LogFlags
	files    []string // of the logs
	more     []string // paths
	within   input.RangeFlags
	every    input.Interval
	thins    func() bool // whether -i was given
	during   input.Interval
	above    bound
	order    sortKey
	percents percentiles
	most     input.Count // instances of each counter; 0 means all
	quiet    bool

	requested []winperf.Path
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
		Use:   "summary {LOG... | --for DURATION} [PATH...]",
		Short: "Show the distribution of each counter's values in logs or a measurement",
		Long: `Summary shows the distribution of each counter's values in logs and captures. Paths select
counters; an argument that begins with \ is a path, unless a file of that name exists.
Several logs are treated as one: a counter in two of them has one row. A sample that two
logs of a machine have counts once; if its values differ, the first log's count.
With --for it measures this machine, or --source, instead.

  count      number of values. The column missing is the number of samples in which the
             instance existed without a value. The first sample of a rate is in neither
  average    weighted by time for rates, percentages of time and queue lengths, otherwise
             the plain mean. In csv and tsv logs, which have no counter types, it is always
             the plain mean; in JSON lines only rates are weighted
  at         time of the first value that equals the maximum
  total      for a rate the sum over the time, such as the bytes of Bytes/sec; for a
             percentage of time the seconds. Other counters, and csv and tsv logs, have
             no total
  deviation  standard deviation, with the divisor count-1
  p95        95 % of the values are at most this measured value. With more than 1,024
             values it is approximate; the table shows the error
  above      number of values above --above; longest is the longest unbroken time above

--top N shows the N largest instances of each counter, by --sort total (the default),
average or maximum. A counter without a total is sorted by its average. For this order the
average or maximum is multiplied by the time that the instance was present, so that
short-lived instances rank lower. _Total and the process Idle are omitted.

A process has one row for its whole lifetime, even if its name or its number changes.
Processes of the same name are numbered: svchost is the first, svchost#1 the second. If
svchost ends, svchost#1 becomes svchost, so \Process(svchost)\* can show several processes.
The rates of a process count from its start, so that short processes have rates (not with
--pdh-exact).

If a path selects % Processor Time of every process, the last row of the table is "(not in a
listed process)": processor time that no listed process used, such as the time of processes
that ended between two samples.

On a terminal the numbers are below the name if a line does not fit. csv and jsonl also
have the unit of the total, and "present": the seconds that the values of the row cover.
They do not have the row "(not in a listed process)".

Exit status: 0 done, 1 nothing could be shown, 3 a path matched nothing or had no
value, some values could not be read for lack of permission, some data was damaged, or the
values of two logs differ.`,
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
	const path = "summarize only counters that match this `PATH`, like an argument; may be repeated"
	f.StringArrayVar(&s.more, "path", nil, path)

	f.Var(&s.during, "for", "measure a live source for this time: 60, 10m, 8:00:00")
	const every = "time between samples: 2, 0.5, 500ms; of a log the first sample of each interval"
	f.VarP(input.LiveInterval{Interval: &s.every}, "interval", "i", every)
	s.thins = func() bool { return f.Changed("interval") }
	s.within.Add(cmd)

	f.Var(&s.above, "above", "count values above NUMBER, and show the longest unbroken time above it")
	f.Var(&s.order, "sort", "sort by KEY, largest first: "+sortKeyNames()+", or a percentile such as p95")
	const top = "show the `N` largest instances of each counter, by --sort"
	f.Var(input.AtLeast{Count: &s.most, Least: 1}, "top", top)
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
	case len(names) > 0 && s.source.Source != "local:":
		const form = "%s and --source: name all logs as arguments, or one with --source"
		return fmt.Errorf(form, names[0])
	case len(names) > 0 && s.during > 0:
		const form = "%s: --for measures a live source, not a log; use --begin and --end"
		return fmt.Errorf(form, names[0])
	case len(names) == 0 && s.during == 0 && s.source.Source == "local:":
		return errors.New("no log given, and no --for: winperf summary load.blg, or winperf summary --for 60")
	case s.during > 0 && s.within.IsSet():
		return errors.New("--begin and --end are for logs; --for is the time to measure")
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
	s.requested = paths
	s.lifetimes, paths = newLifetimes(paths)
	s.selection, s.tally = input.SelectionOf(paths)
	s.options, err = s.sel.Options(s.source.Language)
	return err
}

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
	}
	if err := s.readLogs(ctx, all); err != nil {
		return err
	}

	s.damage.Report(s.app)
	if s.tally.Cycles == 0 {
		return s.within.Empty(ctx, "there are no samples to summarize", zone, input.SourcesOf(all)...)
	}
	return s.explain(ctx, all[0].Source, len(s.more) > 0 || s.sel.Counters != "")
}

func (s *summarizer) readLogs(ctx context.Context, all []*logs.Log) error {
	p := output.NewProgress(s.app, s.quiet)
	defer p.Clear()
	opt := s.options
	opt.KeepFirst = true
	var conflicts logs.Conflicts
	begun := map[*logs.Log]bool{}
	for m, err := range logs.Read(ctx, all, s.selection, opt) {
		if err != nil {
			return err
		}
		s.app.Notice(m.Damage)
		s.damage.Add(m.Damage)
		conflicts.Add(m.Conflicts)

		s.gathered.AddAll(m)
		for i, cycle := range m.Cycles {
			if !begun[m.From[i]] {
				begun[m.From[i]] = true
				s.unlisted.Begin(m.From[i].Source.Describe().Machine)
			}
			s.note(cycle)
		}
		p.Show(m, s.tally.Cycles)
	}

	p.Clear()
	if err := conflicts.Err(); err != nil {
		s.app.Damaged([]error{err})
	}
	return ctx.Err()
}

func (s *summarizer) add(cycle *measure.Cycle) {
	s.gathered.Add(cycle)
	s.note(cycle)
}

// note adds a cycle to everything but the statistics of the rows.
func (s *summarizer) note(cycle *measure.Cycle) {
	s.tally.Count(cycle)
	s.lifetimes.add(cycle, s.gathered)
	s.unlisted.Add(cycle, s.gathered)
}

// watch measures a live source until the time has passed or the user stops it.
func (s *summarizer) watch(ctx context.Context) error {
	src, zone, err := s.log.Open(ctx, s.app, s.source.Source)
	if err != nil {
		return err
	}
	defer src.Close()

	if src.Describe().Recorded {
		return errors.New("--for measures a live source; --begin and --end are for logs")
	}
	s.zone = zone
	s.unlisted = input.FindUnlisted(ctx, src, &s.selection, &s.options, &s.output)
	opt := s.options
	opt.Interval = time.Duration(s.every)
	opt.Count, opt.KeepFirst = int(s.during/s.every)+1, true // the first sample starts the first interval

	end := time.Now().Add(time.Duration(s.during))
	for cycle, err := range measure.Watch(ctx, src, s.selection, opt) {
		if err != nil {
			return err
		}
		s.add(cycle)

		// Missed samples are not repeated.
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

// explain reports unreadable values. If the user gave paths (requested), or no path had a value, it also
// explains paths without values. It returns an error if the summary would be empty.
func (s *summarizer) explain(ctx context.Context, src winperf.Source, requested bool) error {
	s.lifetimes.finish(&s.tally)
	s.tally.Denied.Report(s.app, src)
	if requested || !s.tally.Any() {
		input.Explain(ctx, s.app, src, &s.tally, s.requested, true)
	}
	if !slices.ContainsFunc(s.gathered.Rows(), s.shows) {
		return errors.New("there is no value to summarize")
	}
	return nil
}

func (s *summarizer) shows(row logs.Row) bool {
	name := s.gathered.Name(row.Series)
	return s.lifetimes.has(name) && !s.unlisted.Hidden[name]
}
