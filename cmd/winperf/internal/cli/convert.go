package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // --zone on systems without a database of zones

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
	"github.com/winperf/winperf/source"
)

// converter is the convert command.
type converter struct {
	app      *app
	output   outputFlags
	sel      selectFlags
	log      logFlags
	language language
	paths    []string
	begin    string
	end      string
	every    count
	interval interval
	raw      bool
	quiet    bool

	selection winperf.Selection
	options   measure.Options
	inputs    []*logInput
	tally     tally
	damage    damageCount
	progress  *progress

	timeMatters func() // memory is spared until it is called
}

// convertFormats are what convert writes; the first is the one without options.
func convertFormats() []sink.Format {
	formats := slices.DeleteFunc(sink.Formats(), func(f sink.Format) bool { return f.Name == "table" })
	return append(formats,
		sink.Format{Name: "blg", Extensions: []string{".blg"}, Description: "binary performance log of Windows, raw values"},
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

Times such as '6/30/2007 15:40:38' or 2007-06-30T15:40:38 are local times of the
first log; with Z or +02:00 behind them they are not.

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

	f := cmd.Flags()
	c.output.add(cmd, convertFormats())
	f.StringArrayVar(&c.paths, "path", nil, "take what this `PATH` names; may be given several times")
	c.sel.add(cmd, &sourceFlags{})
	f.StringVar(&c.begin, "begin", "", "leave out samples before this `TIME`")
	f.StringVar(&c.end, "end", "", "leave out samples after this `TIME`")
	f.Var(&c.every, "every", "take every n-th sample")
	f.VarP(&c.interval, "interval", "i", "take the first sample of each interval: 60, 5m, 1:00:00")
	f.BoolVar(&c.raw, "raw", false, "raw values instead of displayable ones")
	f.BoolVar(&c.quiet, "quiet", false, "show no progress")
	f.Var(&c.language, "language", "language of object and counter names: 009 is English, 007 German")
	c.log.add(cmd)
	cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	return cmd
}

// logFlags say how text logs are to be read.
type logFlags struct {
	zone     string
	codePage string
}

func (f *logFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.zone, "zone", "", "`ZONE` such as Europe/Berlin or +05:30, instead of the one that the log names: of the time stamps in a text log, to show the times of others in")
	cmd.Flags().StringVar(&f.codePage, "code-page", "", "`NUMBER` of a text log's code page, such as 1251, where it is not found out")
}

func (f *logFlags) options() (opt source.LogOptions, err error) {
	if f.zone != "" {
		if opt.Location, err = source.ParseZone(f.zone); err != nil {
			return opt, fmt.Errorf("--zone: %w", err)
		}
	}
	if f.codePage != "" {
		if opt.CodePage, err = source.ParseCodePage(f.codePage); err != nil {
			return opt, fmt.Errorf("--code-page: %w", err)
		}
	}
	return opt, nil
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
		c.app.complain(fmt.Errorf("%d counters and instances came after the first sample, and %s has no place for them", late.Late(), format))
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

	for _, name := range names {
		in, err := openInput(ctx, name, opt)
		if err != nil {
			return err
		}
		c.inputs = append(c.inputs, in)
	}

	s := span{every: int(c.every), interval: time.Duration(c.interval), raw: c.raw}
	zone := c.inputs[0].zone()
	if c.selection.Begin, err = parseMoment(c.begin, zone, false); err != nil {
		return fmt.Errorf("--begin: %w", err)
	}
	if c.selection.End, err = parseMoment(c.end, zone, true); err != nil {
		return fmt.Errorf("--end: %w", err)
	}

	for _, in := range c.inputs {
		in.src.span = s
	}
	return nil
}

// check refuses what a format cannot hold.
func (c *converter) check(format string) error {
	for _, in := range c.inputs {
		switch {
		case in.cooked && isRawFormat(format):
			return fmt.Errorf("%s holds displayable values, and %s raw ones: %w", in.name, format, winperf.ErrNotSupported)
		case in.cooked && c.raw:
			return fmt.Errorf("%s holds displayable values and no raw ones: %w", in.name, winperf.ErrNotSupported)
		case isRawFormat(format) && in.src.Describe().Machine != c.inputs[0].src.Describe().Machine:
			return fmt.Errorf("%s is of the machine %s and %s of %s, and %s holds samples of one machine: %w", in.name, in.src.Describe().Machine,
				c.inputs[0].name, c.inputs[0].src.Describe().Machine, format, winperf.ErrNotSupported)
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
