package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

// converter is the convert command.
type converter struct {
	app      *app
	output   outputFlags
	sel      selectFlags
	log      logFlags
	language language
	paths    []string
	within   rangeFlags
	every    count
	interval interval
	raw      bool
	quiet    bool

	selection winperf.Selection
	options   measure.Options
	inputs    []*logInput
	zone      shownZone // of the first log
	tally     tally
	damage    damageCount
	progress  *progress

	timeMatters func() // memory is spared until it is called
}

// convertFormats are what convert writes; the first is the one without options.
func convertFormats() []sink.Format {
	formats := slices.DeleteFunc(sink.Formats(), func(f sink.Format) bool { return f.Name == "table" })
	return append(formats,
		sink.Format{
			Name: "blg", Extensions: []string{".blg"},
			Description: "binary performance log of Windows, raw values",
		},
		sink.Format{Name: "capture", Extensions: []string{".capture"}, Description: "raw samples as they are"},
	)
}

func (a *app) convertCommand() *cobra.Command {
	c := &converter{app: a}
	cmd := &cobra.Command{
		Use:   "convert LOG... -o OUT",
		Short: "Convert, cut, thin out and merge logs",
		Long: `Convert reads logs and captures and writes them in another form: text logs of
Windows (.csv, .tsv), JSON (.jsonl, .json), binary logs (.blg) and captures.

Without --path and --counters everything is taken. Several logs, also of
several machines, are merged in the order of time. Samples are chosen by time,
by number and by interval; where the log holds raw values, rates then are those
over the whole interval, where it holds displayable ones they stay as they are.
csv and tsv have a column for every instance that is in the logs. A capture or
a binary log holds raw values, and whole objects, of the machines of one log.

Times are shown in the zone of the first log, in UTC where it does not name one, and
in --zone where that is given; so are '6/30/2007 15:40:38' and 2007-06-30T15:40:38
read, unless Z or +02:00 stands behind them. +1h is an hour after the first sample.

OUT appears when it is complete, and not at all if that fails or is interrupted.

Exit status: 0 done, 1 nothing was converted, 3 a path gave no value, some values
may not be read, or some of the data was damaged.`,
		Example: `  winperf convert load.blg -o load.csv
  winperf convert load.csv -o cpu.jsonl --path '\Processor(*)\% Processor Time'
  winperf convert monday.blg tuesday.blg -o both.tsv --begin '3/2/2026 18:00:00'
  winperf convert night.capture -o night.csv -i 60
  winperf convert load.blg -o raw.jsonl --raw
  winperf convert load.csv -cf paths.txt -t 10 -f tsv -o thin.tsv     (as relog spells it)`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.flags(cmd)
	return cmd
}

func (c *converter) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	c.output.add(cmd, convertFormats())
	f.StringArrayVar(&c.paths, "path", nil, "take what this `PATH` names; may be given several times")
	c.sel.add(cmd, &sourceFlags{})
	c.within.add(cmd)
	f.Var(&c.every, "every", "take every n-th sample")
	f.VarP(&c.interval, "interval", "i", "take the first sample of each interval: 60, 5m, 1:00:00")
	f.BoolVar(&c.raw, "raw", false, "raw values instead of displayable ones")
	f.BoolVar(&c.quiet, "quiet", false, "show no progress")
	f.Var(&c.language, "language", "language of object and counter names: 009 is English, 007 German")
	c.log.add(cmd)
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
}

var errInterrupted = errors.New("interrupted; nothing was converted")

func (c *converter) run(ctx context.Context, args []string) (err error) {
	if strings.EqualFold(c.output.format, "bin") { // relog's word
		c.output.format = "blg"
	}
	format, file, err := c.output.settle()
	if err == nil {
		err = c.settle(ctx, args, format, file)
	}

	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, c.close()); err != nil && isInterrupt(ctx, err) {
			err = errInterrupted // a failure, as OUT is not there
		}
	}()

	// How large a sample is shows with the first one. A small one needs no care.
	c.timeMatters = sync.OnceFunc(spareMemory())
	defer c.timeMatters()

	if err := c.open(ctx, args); err != nil {
		return err
	}
	if err := c.check(format); err != nil {
		return err
	}
	return c.convert(ctx, format, file)
}

// convert writes what the logs have.
func (c *converter) convert(ctx context.Context, format, file string) error {
	c.progress = c.app.newProgress(c.quiet)
	defer c.progress.clear()
	out, err := c.create(ctx, format, file)
	if err != nil {
		return err
	}
	defer out.abandon()

	err = c.copy(ctx, out)
	c.progress.clear()
	if err != nil {
		return err
	}

	c.finish(ctx)
	if c.tally.hopeless() && len(c.selection.Paths) > 0 {
		return errors.New("nothing was converted")
	}
	if err := out.finish(c.close); err != nil {
		return err
	}

	if late, ok := out.logWriter.(sink.LateCounter); ok && late.Late() > 0 {
		const form = "%d counters and instances came after the first sample, and %s has no place for them"
		c.app.complain(fmt.Errorf(form, late.Late(), format))
		c.app.partial = true
	}
	return nil
}

// settle reads the options before anything is opened.
func (c *converter) settle(ctx context.Context, args []string, format, file string) error {
	if len(args) == 0 {
		return errors.New("no log given; for example winperf convert load.blg -o load.csv")
	}
	if _, terminal := isTerminal(c.app.stdout); terminal && file == "" && isRawFormat(format) {
		return fmt.Errorf("bytes are not shown on a terminal: name a file, -o log.%s", format)
	}
	if c.raw && isRawFormat(format) {
		return fmt.Errorf("--raw: %s always holds raw values", format)
	}

	paths, err := c.app.paths(ctx, c.paths, &c.sel)
	if err != nil {
		return err
	}

	c.selection = winperf.Selection{Paths: paths}
	c.tally = newTally(len(paths))
	if len(paths) == 0 {
		c.selection = winperf.Selection{Global: true, Costly: true}
		c.tally = newTally(2)
	}

	c.options, err = c.sel.options(c.language)
	c.options.KeepFirst, c.options.FramesOnly = true, isRawFormat(format) && len(paths) == 0
	return err
}

func isRawFormat(format string) bool { return format == "blg" || format == "capture" }

// open opens the logs.
func (c *converter) open(ctx context.Context, names []string) error {
	opt, err := c.log.options()
	if err != nil {
		return err
	}

	var records []winperf.Source
	for _, name := range names {
		in, err := c.app.openInput(ctx, name, opt)
		if err != nil {
			return err
		}
		c.inputs = append(c.inputs, in)
		records = append(records, in.src.Source)
	}

	s := span{every: int(c.every), interval: time.Duration(c.interval), raw: c.raw}
	for _, in := range c.inputs {
		in.src.span = s
	}
	c.zone = c.log.shownZone(c.inputs[0].src.Describe(), opt)
	return c.within.choose(ctx, &c.selection, c.zone, records...)
}

// check refuses what a format cannot hold.
func (c *converter) check(format string) error {
	for _, in := range c.inputs {
		switch {
		case in.cooked && isRawFormat(format):
			return fmt.Errorf("%s holds displayable values, and %s raw ones: %w",
				in.name, format, winperf.ErrNotSupported)
		case in.cooked && c.raw:
			return fmt.Errorf("%s holds displayable values and no raw ones: %w",
				in.name, winperf.ErrNotSupported)
		case isRawFormat(format) && in.src.Describe().Machine != c.inputs[0].src.Describe().Machine:
			const form = "%s is of the machine %s and %s of %s, and %s holds samples of one machine: %w"
			first := c.inputs[0]
			return fmt.Errorf(form, in.name, in.src.Describe().Machine,
				first.name, first.src.Describe().Machine, format, winperf.ErrNotSupported)
		}
	}
	return nil
}

// close closes the logs; again it does nothing.
func (c *converter) close() error {
	var errs []error
	for _, in := range c.inputs {
		errs = append(errs, in.close())
	}
	c.inputs = nil
	return errors.Join(errs...)
}
