package summary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

type comparer struct {
	app       *console.App
	source    input.SourceFlags // for its language
	sources   []string
	sel       input.SelectFlags
	log       input.LogFlags
	within    input.RangeFlags
	output    output.Flags
	every     input.Interval
	count     input.Count
	tolerance tolerance
	differing bool

	counted, intervalSet bool // whether -n and -i were given

	paths []winperf.Path
	sides []*side
	live  bool
}

var interfaces = []string{"registry:", "perflib:", "pdh:"}

var compareFormats = []sink.Format{
	{Name: "table", Extensions: []string{".txt"}, Description: "for people"},
	{
		Name: "jsonl", Extensions: []string{".jsonl", ".ndjson"},
		Description: "a JSON object for each counter, then one for each source",
	},
}

// CompareCommand returns the command compare.
func CompareCommand(a *console.App) *cobra.Command {
	c := &comparer{app: a, every: input.Interval(schedule.DefaultInterval), count: 1, tolerance: 5}
	cmd := &cobra.Command{
		Use:   "compare [LOG LOG...] [PATH...]",
		Short: "Compare the values of logs or of live sources",
		Long: `Compare shows the differences between logs, or between live sources.

If all sources are log files, it shows the number of values, the mean and percentiles of
each counter, and the change of each median from the first log, as benchstat does.
Without a path it compares all counters. Instances are matched by name. A change is
significant if p < 0.05 in the Mann-Whitney U test; ~ marks other changes. The test assumes
independent values, which successive samples of a busy system are not: with many samples it
finds small changes. --tolerance is the accepted change of the median and the mean, in
percent of the first log's (for percentages too: from 10 % to 11 % is a change of 10 %).

If a source is a URL, such as local: or perfdata:, or if -n is given, it compares single
values: the values of the last of N+1 samples, because a rate needs two. It reads one source
directly after the other, shows the values side by side, marks differences, and shows the
cost of a sample of each source: time, processor time, allocations, bytes. --tolerance is
the accepted difference in percent of the larger value; percentages are compared in points
(10 % and 11 % differ by 1 point). Counters are matched by path, without the machine name.
On Windows the default sources are the registry, the counter sets and PDH of this machine;
on other systems name at least two.

Values differ if the difference exceeds --tolerance; in log files it must also be
significant.

Exit status: 0 no difference, 1 nothing could be compared, 3 values differ, a source lacks
a value or could not be read, or some data was damaged.`,
		Example: `  winperf compare before.blg after.blg
  winperf compare before.blg after.blg '\Processor(*)\*' --differing
  winperf compare '\Memory\*' '\Processor(*)\% Processor Time'       (on Windows)
  winperf compare '\Process(*)\*' --differing                        (on Windows)
  winperf compare '\System\*' --source local: --source 'perfdata:one.bin,two.bin?names=names.tsv'
  winperf compare '\Memory\*' --source before.csv --source after.csv -n 1 --tolerance 0 -o jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.counted, c.intervalSet = cmd.Flags().Changed("count"), cmd.Flags().Changed("interval")
			return c.run(cmd.Context(), args)
		},
	}
	c.flags(cmd)
	return cmd
}

func (c *comparer) flags(cmd *cobra.Command) {
	c.source.Source = "local:" // for completion of names

	flags := cmd.Flags()
	flags.StringArrayVar(&c.sources, "source", nil,
		"source to compare, repeat it; the `URL` is "+input.SourceHelp)
	flags.Var(&c.source.Language, "language", input.LanguageHelp)

	const every = "time between two samples of a source: 2, 0.5, 500ms"
	flags.VarP(input.LiveInterval{Interval: &c.every}, "interval", "i", every)
	const count = "number of comparisons; shows the last one, and the mean cost of all"
	flags.VarP(input.AtLeast{Count: &c.count, Least: 1}, "count", "n", count)
	flags.Var(&c.tolerance, "tolerance", "accepted difference, see above")
	flags.BoolVar(&c.differing, "differing", false, "show only counters that differ")

	c.output.Add(cmd, compareFormats)
	c.output.AddExact(cmd)
	c.sel.Add(cmd, &c.source)
	c.sel.AddFromStart(cmd)
	c.log.Add(cmd)
	c.within.Add(cmd)

	console.Complete(cmd, "source", input.CompleteSource)
	console.Complete(cmd, "language", input.CompleteLanguage)
	cmd.ValidArgsFunction = input.CompletePath(&c.source)
}

func (c *comparer) run(ctx context.Context, args []string) (err error) {
	if err := c.settle(ctx, args); err != nil {
		return err
	}
	opt, err := c.sel.Options(c.source.Language)
	if err != nil {
		return err
	}
	if c.ofLogs() {
		return c.compareLogs(ctx, opt)
	}
	defer func() { err = errors.Join(err, c.close()) }()

	if err := c.open(ctx, opt); err != nil {
		return err
	}
	if err := c.measure(ctx); err != nil {
		return err
	}

	out, err := output.Create(ctx, c.app, &c.output)
	if err != nil {
		return err
	}
	return errors.Join(c.show(ctx, out), out.Close())
}

func (c *comparer) settle(ctx context.Context, args []string) (err error) {
	names, paths, err := input.SplitArguments(ctx, args, append(c.sources, "local:"))
	if err != nil {
		return err
	}
	c.sources = append(c.sources, names...)

	if c.paths, err = input.Paths(ctx, c.app, paths, &c.sel); err != nil {
		return err
	}
	if len(c.sources) == 0 && runtime.GOOS == "windows" {
		c.sources = interfaces
	}

	_, _, err = c.output.Settle(c.sources...)
	switch {
	case err != nil:
		return err
	case len(c.sources) < 2:
		return errors.New("compare needs two sources: give --source at least twice, or two logs")
	case len(c.paths) == 0 && !c.ofLogs():
		return errors.New(`no path given; for example '\Memory\*' (winperf list shows the counters)`)
	}
	return nil
}

// open opens the sources. A source that cannot be opened, or does not know the paths' machine, is reported
// and omitted, as long as two are left.
func (c *comparer) open(ctx context.Context, opt measure.Options) error {
	var errs []error
	for _, url := range c.sources {
		s, err := c.openSide(ctx, url, opt)
		if err == nil {
			c.sides = append(c.sides, s)
			c.live = c.live || s.live
		} else if errs = append(errs, err); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return c.enough(len(c.sides), errs)
}

// enough reports the errors of failed sources, as an error if fewer than two sources are left.
func (c *comparer) enough(left int, errs []error) error {
	if left < 2 {
		err := fmt.Errorf("%d of %d sources are left, but compare needs two", left, len(c.sources))
		return errors.Join(append(errs, err)...)
	}
	for _, err := range errs {
		c.app.Complain(err)
		c.app.Partial = true
	}
	return nil
}

// measure takes a first sample and then one for each comparison. A log at its end keeps its last sample.
func (c *comparer) measure(ctx context.Context) error {
	due := schedule.New(time.Duration(c.every), nil)
	for n := range int(c.count) + 1 {
		if n > 0 && c.live {
			if _, _, err := due.Wait(ctx); err != nil {
				return err
			}
		}

		due.Begin()
		err := c.take(ctx)
		due.End()
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *comparer) take(ctx context.Context) error {
	var left []*side
	var errs []error
	for _, s := range c.sides {
		switch err := s.take(ctx); {
		case errors.Is(err, io.EOF) && s.samples > 0, err == nil:
			left = append(left, s)
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, io.EOF):
			err = c.within.Empty(ctx, "there are no samples to compare", s.zone, s.source)
			errs = append(errs, errors.Join(fmt.Errorf("source %s: %w", s.url, err), s.close()))
		default:
			errs = append(errs, errors.Join(fmt.Errorf("source %s: %w", s.url, err), s.close()))
		}
	}
	c.sides = left
	return c.enough(len(left), errs)
}

func (c *comparer) close() error {
	var errs []error
	for _, s := range c.sides {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

type side struct {
	url      string
	source   winperf.Source
	zone     output.ShownZone
	measure  *measure.Measurement
	live     bool
	kind     string // interface named by the schema of the samples
	readings []winperf.Reading
	damage   []error // of the first damaged sample
	notices  []error // the first of each kind
	denied   input.Denied
	samples  int
	cost     sideCost // of all samples
}

func (c *comparer) openSide(ctx context.Context, url string, opt measure.Options) (*side, error) {
	src, zone, err := c.log.Open(ctx, c.app, url)
	if err != nil {
		return nil, err
	}

	s := &side{url: url, source: src, zone: zone}
	recorded := src.Describe().Recorded
	s.live = !recorded
	sel := winperf.Selection{Paths: c.paths}
	if err := c.within.Choose(ctx, &sel, zone, src); err != nil {
		return nil, errors.Join(err, src.Close())
	}

	opt.CostlyTogether = true // because their cost counts, too
	s.measure = measure.New(src, sel, opt)
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("source %s: %w", url, err), s.close())
	}
	return s, nil
}

func (s *side) close() error { return errors.Join(s.measure.Close(), s.source.Close()) }

type tolerance float64

func (v *tolerance) String() string { return strconv.FormatFloat(float64(*v), 'g', -1, 64) }

func (v *tolerance) Type() string { return "PERCENT" }

func (v *tolerance) Set(s string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return errors.New("expected a percentage, 0 or more")
	}
	*v = tolerance(n)
	return nil
}
