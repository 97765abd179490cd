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

// comparer is the compare command.
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

	counted, paced bool // -n, -i were given

	paths []winperf.Path
	sides []*side
	live  bool
}

// interfaces are the sources that are compared on Windows unless others are
// given: all that a Windows machine has.
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
		Short: "Compare the values of several logs or several sources",
		Long: `Compare shows the differences between logs, or between sources.

For logs and captures it compares distributions: the number of values, the mean,
percentiles, and the change of each median from the first log, as benchstat shows
it. --begin and --end select a part of each log. A change is significant if p < 0.05
in the Mann-Whitney U test; ~ marks changes that are not. The test assumes independent
values, which successive samples of a busy system are not: with many samples it finds
small changes, and --tolerance says up to which percentage of the first log's median
and mean they do not matter. This holds for percentages too: from 10 % to 11 % is a
change of 10 %. Without a path all counters are compared. Instances are matched by name.
A process that began after the previous sample has no rate in its first sample, as in
PDH; with --from-start it counts from zero.

For live sources, for perfdata: and with -n it reads single values, one source
right after the other. It shows the values side by side, marks differences, and
shows the cost of a sample of each source: time, processor time, allocations, bytes.
On a terminal numbers of bytes and large rates are rounded (--exact shows all digits).

On Windows the default sources are the registry, the counter sets and PDH of this
machine; on other systems give at least two. Counters are matched by path, without
the machine name. Live values are not read at exactly the same time: --tolerance
sets how much they may differ, in percent of the larger one. Single percentages are
compared in points: 10 % and 11 % differ by 1 point.

Exit status: 0 no difference, 1 nothing could be compared, 3 values differ
(of logs: significantly, and the medians or the means by more than --tolerance), a
source has no value where another has one or could not be read, or some data
was damaged.`,
		Example: `  winperf compare before.blg after.blg
  winperf compare before.blg after.blg '\Processor(*)\*' --differing
  winperf compare '\Memory\*' '\Processor(*)\% Processor Time'
  winperf compare '\Process(*)\*' --differing
  winperf compare '\System\*' --source local: --source 'perfdata:one.bin,two.bin?names=names.tsv'
  winperf compare '\Memory\*' --source before.csv --source after.csv -n 1 --tolerance 0 -o jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.counted, c.paced = cmd.Flags().Changed("count"), cmd.Flags().Changed("interval")
			return c.run(cmd.Context(), args)
		},
	}
	c.flags(cmd)
	return cmd
}

func (c *comparer) flags(cmd *cobra.Command) {
	c.source.Source = "local:" // where completion finds names
	flags := cmd.Flags()
	flags.StringArrayVar(&c.sources, "source", nil,
		"`URL` of a source to compare; give it several times: "+input.SourceForms())
	flags.Var(&c.source.Language, "language", input.LanguageHelp)
	const every = "time between two samples of a source: 2, 0.5, 500ms"
	flags.VarP(input.LiveInterval{Interval: &c.every}, "interval", "i", every)
	const count = "number of comparisons; the last one is shown, costs are the mean of all"
	flags.VarP(&c.count, "count", "n", count)
	flags.Var(&c.tolerance, "tolerance", "how much values may differ; see above for percentages")
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

// settle finds out what is wanted.
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
		return errors.New(`no path given; for example '\Memory\*' (winperf list shows what there is)`)
	case c.count == 0:
		return errors.New("-n 0: compare needs an end")
	}
	return nil
}

// open opens the sources. One that cannot be opened or does not know the paths'
// machine is told of and left out, as long as there are others.
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

// enough tells of sources that failed: as an error where there are not two
// others.
func (c *comparer) enough(left int, errs []error) error {
	if left < 2 {
		err := fmt.Errorf("%d of %d sources are left, and compare needs two", left, len(c.sources))
		return errors.Join(append(errs, err)...)
	}
	for _, err := range errs {
		c.app.Complain(err)
		c.app.Partial = true
	}
	return nil
}

// measure takes the samples: a first one and then as many as are to be compared.
// A record that is at its end keeps its last one.
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

// take takes a sample of every source.
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

// side is one of the sources that are compared.
type side struct {
	url      string
	source   winperf.Source
	zone     output.ShownZone
	measure  *measure.Measurement
	live     bool
	kind     string // the interface that the samples' schema names
	readings []winperf.Reading
	damage   []error // of the first damaged sample
	notices  []error // the first of each kind
	denied   input.Denied
	samples  int
	cost     sideCost // of all samples together
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

	opt.CostlyTogether = true // what they cost counts too
	s.measure = measure.New(src, sel, opt)
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("source %s: %w", url, err), s.close())
	}
	return s, nil
}

func (s *side) close() error { return errors.Join(s.measure.Close(), s.source.Close()) }

// tolerance is how much values may differ, in percent.
type tolerance float64

// String returns the number.
func (v *tolerance) String() string { return strconv.FormatFloat(float64(*v), 'g', -1, 64) }

// Type names the value in help texts.
func (v *tolerance) Type() string { return "PERCENT" }

// Set reads the value.
func (v *tolerance) Set(s string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return errors.New("expected a percentage, 0 or more")
	}
	*v = tolerance(n)
	return nil
}
