package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

// summarizer is the summary command.
type summarizer struct {
	app      *app
	source   sourceFlags
	output   outputFlags
	sel      selectFlags
	log      logFlags
	more     []string // paths
	within   rangeFlags
	every    interval
	during   interval
	above    bound
	order    sortKey
	percents percentiles
	quiet    bool

	selection winperf.Selection
	options   measure.Options
	tally     tally
	damage    damageCount
	gathered  *logs.Gatherer
	zone      shownZone
}

var summaryFormats = []sink.Format{
	{Name: "table", Extensions: []string{".txt"}, Description: "for people"},
	{Name: "csv", Extensions: []string{".csv"}, Description: "a row for each counter"},
	{Name: "jsonl", Extensions: []string{".jsonl", ".ndjson"}, Description: "a JSON object for each counter"},
}

func (a *app) summaryCommand() *cobra.Command {
	s := &summarizer{app: a, every: interval(schedule.DefaultInterval), percents: percentiles{50, 95, 99}}
	cmd := &cobra.Command{
		Use:   "summary LOG...",
		Short: "Show the distribution of each counter's values in logs, or during a measurement",
		Long: `Summary reads logs and captures once and shows for each counter and instance the
number of values, minimum, average, maximum, standard deviation, percentiles and the
last value. Several logs are treated as one: a counter in two of them has one row.
With --for it measures this machine, or --source, for that time instead.

  count      number of values. Samples in which the instance existed without a value
             are missing. The first sample of a rate is neither
  average    weighted by time for rates, percentages of time and queue lengths, else
             the plain mean; csv and tsv logs do not contain the counter type, so
             there it is always the plain mean
  deviation  standard deviation of a sample
  p95        95 % of the values are at most this value, which is a measured one. With
             more than 1,024 values it is approximate; the table shows the error
  above      number of values above --above; longest is the longest unbroken time above

A process has one row for its whole lifetime, even if its name changes. On a terminal
numbers of bytes and large rates are rounded (--exact shows all digits).

Exit status: 0 done, 1 nothing could be shown, 3 a path gave no value, some values
could not be read for lack of permission, or some data was damaged.`,
		Example: `  winperf summary load.blg
  winperf summary load.blg --path '\Processor(*)\% Processor Time' --above 80
  winperf summary monday.csv tuesday.csv --sort p95 -o both.csv
  winperf summary night.capture --path '\Process(*)\Working Set' --sort maximum
  winperf summary --for 60 -i 1 --path '\PhysicalDisk(*)\*'`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args) },
	}
	s.flags(cmd)
	return cmd
}

func (s *summarizer) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.more, "path", nil, "only what this `PATH` names; may be given several times")
	f.Var(&s.during, "for", "measure a live source for this time: 60, 10m, 8:00:00")
	f.VarP(liveInterval{&s.every}, "interval", "i", "time between samples of a live source: 2, 0.5, 500ms")
	s.within.add(cmd)
	f.Var(&s.above, "above", "show the number of values above NUMBER, and the longest unbroken time above it")
	f.Var(&s.order, "sort", "sort by KEY, largest first: "+sortKeyNames()+", or a percentile such as p95")
	f.Var(&s.percents, "percentiles", "percentiles to show")
	f.BoolVar(&s.quiet, "quiet", false, "show no progress")
	s.source.add(cmd)
	s.output.add(cmd, summaryFormats)
	s.output.addExact(cmd)
	s.sel.add(cmd, &s.source)
	s.log.add(cmd)
	complete(cmd, "path", completePath(&s.source))
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
}

func (s *summarizer) run(ctx context.Context, names []string) (err error) {
	if err := s.settle(ctx, names); err != nil {
		return err
	}
	s.gathered = &logs.Gatherer{Above: s.above.value}

	if s.during > 0 {
		err = s.watch(ctx)
	} else {
		err = s.read(ctx, names)
	}

	if err != nil {
		return err
	}
	out, err := s.app.create(context.WithoutCancel(ctx), &s.output)
	if err != nil {
		return err
	}
	return errors.Join(s.write(out), out.Close())
}

// settle reads the options before anything is opened.
func (s *summarizer) settle(ctx context.Context, names []string) error {
	if _, _, err := s.output.resolve(); err != nil {
		return err
	}
	if err := s.order.check(s.above.value != nil, s.percents); err != nil {
		return err
	}

	switch {
	case len(names) > 0 && s.during > 0:
		return errors.New("--for measures a live source; --begin and --end cut logs")
	case len(names) == 0 && s.during == 0 && s.source.source == "local:":
		return errors.New("no log given, and no --for: winperf summary load.blg, or winperf summary --for 60")
	case s.during > 0 && s.within.given():
		return errors.New("--begin and --end cut logs; --for says how long to measure")
	case s.during > 0 && s.during < s.every:
		return fmt.Errorf("--for %s: shorter than the interval of %s", s.during.String(), s.every.String())
	}

	paths, err := s.app.paths(ctx, s.more, &s.sel)
	if err == nil && len(paths) == 0 && s.during > 0 {
		paths, err = parsePaths(standardPaths)
	}

	if err != nil {
		return quoteHint(ctx, append(names, s.source.source), s.more, names, err)
	}
	s.selection, s.tally = wanted(paths)
	s.options, err = s.sel.options(s.source.language)
	return err
}

// read reads logs, one after the other.
func (s *summarizer) read(ctx context.Context, names []string) (err error) {
	if len(names) == 0 {
		names = []string{s.source.source}
	}
	all, zone, err := s.app.openLogs(ctx, names, &s.log, &s.within, &s.selection)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLogs(all)) }()

	s.zone = zone
	for _, log := range all {
		if err := s.readLog(ctx, log); err != nil {
			return err
		}
	}

	s.damage.tell(s.app)
	if s.tally.cycles == 0 {
		return errors.New("there are no samples to sum up")
	}
	return s.explain(ctx, all[0].Source, len(s.more) > 0 || s.sel.counters != "")
}

// readLog reads one log.
func (s *summarizer) readLog(ctx context.Context, log *logs.Log) error {
	p := s.app.newProgress(s.quiet)
	defer p.clear()
	opt := s.options
	opt.KeepFirst = true
	s.gathered.Begin()
	for m, err := range logs.Read(ctx, []*logs.Log{log}, s.selection, opt) {
		if err != nil {
			return err
		}
		s.app.notice(m.Damage)
		s.damage.add(m.Damage)
		for _, cycle := range m.Cycles {
			s.tally.count(cycle)
			s.gathered.Add(cycle)
		}
		p.show(m, s.tally.cycles)
	}
	return ctx.Err()
}

// watch measures a live source until the time is over or the user ends it.
func (s *summarizer) watch(ctx context.Context) error {
	src, zone, err := s.log.open(ctx, s.app, s.source.source)
	if err != nil {
		return err
	}
	defer src.Close()

	if src.Describe().Recorded {
		return errors.New("--for measures a live source; --begin and --end cut logs")
	}
	s.zone = zone
	opt := s.options
	opt.Interval = time.Duration(s.every)
	opt.Count, opt.KeepFirst = int(s.during/s.every)+1, true // the first sample begins the first interval

	// How large a sample is shows with the first one. A small one needs no care.
	timeMatters := sync.OnceFunc(spareMemory())
	defer timeMatters()
	end := time.Now().Add(time.Duration(s.during))
	for cycle, err := range measure.Watch(ctx, src, s.selection, opt) {
		if err != nil {
			return err
		}
		s.tally.count(cycle)
		s.gathered.Add(cycle)
		if !isLarge(cycle) {
			timeMatters()
		}

		// Samples that were missed are not made up for.
		if time.Until(end) < opt.Interval/2 {
			break
		}
	}

	if s.tally.cycles == 0 {
		return errors.New("nothing was measured")
	}
	s.tally.reportDamage(s.app)
	return s.explain(ctx, src, len(s.more) > 0 || s.sel.counters != "")
}

// explain tells the user which values may not be read. If the user named paths (asked), or
// no path had a value, it also tells why paths gave none. It returns an error where the
// summary would be empty.
func (s *summarizer) explain(ctx context.Context, src winperf.Source, asked bool) error {
	s.tally.denied.report(s.app, src)
	if asked || !s.tally.any() {
		s.app.explain(ctx, src, &s.tally, s.selection.Paths, true)
	}
	if len(s.gathered.Rows()) == 0 {
		return errors.New("there is no value to sum up")
	}
	return nil
}
