package convert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/rawline"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
)

type converter struct {
	app      *console.App
	output   output.Flags
	sel      input.SelectFlags
	log      input.LogFlags
	language input.Language
	name     input.Naming
	paths    []string
	files    []string // of the logs
	within   input.RangeFlags
	every    input.Count
	interval input.Interval
	raw      bool
	quiet    bool
	target   input.PushFlags
	appends  bool
	resume   string // file with the progress of sending
	given    *pflag.FlagSet

	nameWords []string
	names     []metrics.Scheme // nil means winperf's own names
	memory    int64            // physical memory in bytes; 0 is unknown

	selection winperf.Selection
	options   measure.Options
	logs      []*logs.Log
	zone      output.ShownZone // of the first log
	doubles   bool             // the logs have no raw values; a binary log has doubles
	types     rawline.RawTypes // of raw values in JSON lines, otherwise nil
	tally     input.Tally
	damage    console.DamageCount
	conflicts logs.Conflicts
	progress  *output.Progress
	last      time.Time // latest time of all samples

	timeMatters func() // call it to stop saving memory
}

// Command returns the command convert.
func Command(a *console.App) *cobra.Command {
	c := &converter{app: a}
	cmd := &cobra.Command{
		Use:   "convert LOG... [PATH...] [-o OUT]",
		Short: "Convert, trim, thin out and merge logs",
		Long: `Convert writes logs and captures in another format. It merges several logs, also from
several machines, by time. If they overlap, a value replaces a blank of another log; of
different values the first log's is taken. Values that differ by less than text logs show
(1e-6) are equal. Paths select counters; without a path and --counters it
converts all. An argument that begins with \ is a path, unless a file of that name exists.

  csv, tsv      text logs of Windows, with a column for each instance name. Convert reads
                the logs twice, standard input from a temporary copy. Successive
                processes with the same name share a column; rates and averages have no
                value in the first row of each process
  jsonl, json   JSON, one line for each reading; NAME.jsonl.zst is compressed
  paths         the path of each counter and instance, one a line, without values
  capture, blg  raw values of whole objects. Several logs must be from the same machine.
                A blg made from a text log or JSON lines holds displayable values as
                doubles (PERF_DOUBLE_RAW). Its times have the UTC offset of the first
                sample. Not verified on Windows
  openmetrics   all series of the logs as metrics, for 'promtool tsdb create-blocks-from
                openmetrics'. Data that exceeds the memory is kept in a temporary file
                next to OUT. Prometheus deletes samples older than its retention

Rates of raw values are computed over the whole interval between selected samples;
displayable values stay unchanged.

Times are shown and read in the zone of the first log (UTC if it names none) or in --zone,
unless Z or +02:00 follows them: '6/30/2007 15:40:38', 2007-06-30T15:40:38, or +1h for an
hour after the first sample.

OUT is created only when it is complete, not if converting fails or is interrupted.

OUT can be a URL: remote-write+http://HOST[:PORT][/api/v1/write] (Prometheus,
VictoriaMetrics, Mimir) or otlp+http://HOST[:PORT][/v1/metrics] (OpenTelemetry), also with
https. All samples are sent as metrics in the order of time. Some databases drop old
samples without an error: VictoriaMetrics drops samples older than its -retentionPeriod,
Prometheus drops samples older than its newest ones.

--names windows_exporter uses the metric names of that exporter's dashboards, for
openmetrics and for URLs.

Exit status: 0 done, 1 nothing was converted or sent, 3 a path had no value, some values
could not be read for lack of permission, some data was damaged, the values of two logs
differ, or a receiver did not take all.`,
		Example: `  winperf convert load.blg -o load.csv
  winperf convert load.csv '\Processor(*)\% Processor Time' -o cpu.jsonl
  winperf convert monday.blg tuesday.blg -o both.tsv --begin '3/2/2026 18:00:00'
  winperf convert night.capture -o night.csv -i 60
  winperf convert load.blg -o raw.jsonl --raw
  winperf convert load.blg -o load.om --names windows_exporter
  winperf convert load.blg -o load.om && promtool tsdb create-blocks-from openmetrics load.om data
  winperf convert load.blg -o remote-write+http://localhost:8428 --resume load.state
  winperf convert load.blg -o remote-write+http://localhost:8428 --names own,windows_exporter
  winperf convert load.csv -cf paths.txt -t 10 -f tsv -o thin.tsv     (as relog spells it)`,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.flags(cmd)
	return cmd
}

func (c *converter) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	c.given = f
	c.output.Add(cmd, output.ConvertFormats())

	const path = "convert only counters that match this `PATH`, like an argument;" +
		" may be repeated"
	f.StringArrayVar(&c.paths, "path", nil, path)
	c.sel.Add(cmd, &input.SourceFlags{})
	c.sel.AddFromStart(cmd)
	c.within.Add(cmd)

	f.Var(input.AtLeast{Count: &c.every, Least: 1}, "every", "take every Nth sample")
	f.VarP(&c.interval, "interval", "i", "take the first sample of each interval: 60, 5m, 1:00:00")

	const raw = "with -o jsonl: write raw values for winperf cook instead of displayable ones"
	f.BoolVar(&c.raw, "raw", false, raw)
	const appends = "append to an existing OUT (csv, tsv, jsonl, blg, capture) with the same counters"
	f.BoolVar(&c.appends, "append", false, appends)
	f.BoolVar(&c.quiet, "quiet", false, "show no progress and no advice on Prometheus' retention")

	const resume = "store the progress of sending to a URL in `FILE`, and continue from there"
	f.StringVar(&c.resume, "resume", "", resume)
	c.target.Add(cmd)
	c.addNames(cmd)

	f.Var(&c.language, "language", input.LanguageHelp)
	c.name.Add(cmd)
	c.log.Add(cmd)
	cmd.ValidArgsFunction = input.CompleteLogs
}

var errInterrupted = errors.New("interrupted; nothing was converted")

func (c *converter) run(ctx context.Context, args []string) (err error) {
	if push.IsURL(c.output.Output) && c.name != "" {
		return errors.New("--name is for readings; metrics have their own names")
	}
	if err := c.settleAppend(); err != nil {
		return err
	}
	if push.IsURL(c.output.Output) {
		return c.push(ctx, args)
	}
	if err := notTarget(c.output.Output); err != nil && c.output.Format == "" {
		return err
	}
	if c.resume != "" {
		return errors.New("--resume is for sending logs: -o remote-write+http://HOST")
	}
	if strings.EqualFold(c.output.Format, "bin") { // relog's name
		c.output.Format = "blg"
	}
	format, file, err := c.output.Settle()
	if err == nil && c.appends && !(file != "" && logs.CanAppend(format, file)) {
		err = errors.New("--append: expected a file in csv, tsv, jsonl, blg or capture")
	}
	if err == nil {
		err = c.target.CheckUnsent(format == logs.OpenMetrics)
	}
	if err == nil {
		err = c.settleNames(format, "")
	}
	if err == nil {
		err = c.settle(ctx, args, format, file)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, c.close()); err != nil && console.IsInterrupt(ctx, err) {
			err = errInterrupted // a failure, because OUT does not exist
		}
	}()

	// The first sample shows whether samples are large. Small ones need no memory saving.
	c.timeMatters = sync.OnceFunc(console.SpareMemory())
	defer c.timeMatters()

	c.logs, c.zone, err = input.OpenLogs(ctx, c.app, c.files, &c.log, &c.within, &c.selection)
	if err != nil {
		return err
	}
	if err := c.check(format); err != nil {
		return err
	}

	// Raw formats copy whole frames without computing readings. With --exclude the readings show whether
	// the output has a value.
	raw := logs.IsRaw(format) && !c.doubles || format == logs.OpenMetrics
	c.options.FramesOnly = raw && len(c.selection.Paths)+len(c.sel.Exclude) == 0
	thin := logs.Thin{
		Every: int(c.every), Interval: time.Duration(c.interval), Raw: c.raw, Note: c.types.Note,
	}
	for _, log := range c.logs {
		log.Source = thin.Of(log.Source)
	}
	return c.convert(ctx, format, file)
}

func (c *converter) convert(ctx context.Context, format, file string) error {
	c.progress = output.NewProgress(c.app, c.quiet)
	defer c.progress.Clear()
	out, err := c.create(ctx, format, file)
	if err != nil {
		return err
	}
	defer out.abandon()

	err = c.copy(ctx, out)
	c.progress.Clear()
	if err != nil {
		return err
	}

	c.finish(ctx)
	if c.tally.Hopeless() && len(c.selection.Paths) > 0 {
		return errors.New("nothing was converted")
	}
	if err := c.tally.CheckExcluded(&c.sel); err != nil {
		return err
	}
	if err := out.finish(c.close); err != nil {
		return err
	}

	c.progress.Clear()
	if format == logs.OpenMetrics {
		c.finishMetrics(out)
	}
	if late := out.Late(); late > 0 {
		const form = "%d counters and instances are missing in %s: they began after the first sample," +
			" or have the name of one that had ended%s; use -f jsonl to keep them"
		c.app.Complain(fmt.Errorf(form, late, format, console.SomeNames(console.LateNames(out.Writer), late)))
		c.app.Partial = c.app.Partial || logs.IsRaw(format)
	}
	return nil
}

// isLarge reports whether samples like c require saving memory (from 8 MB). A reading takes about 100
// bytes.
func isLarge(c *measure.Cycle) bool {
	const large = 8 << 20
	return c.Cost.Bytes >= large || c.Len() >= large/100
}

// copy writes all samples of the logs in the order of time.
func (c *converter) copy(ctx context.Context, out *convertOutput) error {
	c.progress.Restart()
	for m, err := range logs.Read(ctx, c.logs, c.selection, c.options) {
		if err != nil {
			return err
		}
		c.damage.Add(m.Damage)
		c.conflicts.Add(m.Conflicts)
		if len(m.Cycles) == 0 {
			break
		}

		c.last = m.Time
		for _, cycle := range m.Cycles {
			c.tally.Count(cycle)
		}
		if !slices.ContainsFunc(m.Cycles, isLarge) {
			c.timeMatters()
		}
		if err := out.Write(m); err != nil {
			return err
		}
		c.progress.Show(m, c.tally.Cycles)
	}

	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case c.tally.Cycles == 0:
		return c.empty(ctx, "there are no samples to convert")
	}
	return nil
}

func (c *converter) empty(ctx context.Context, otherwise string) error {
	err := c.within.Empty(ctx, otherwise, c.zone, input.SourcesOf(c.logs)...)
	return errors.Join(append(c.damage.First, err)...)
}

func (c *converter) finish(ctx context.Context) {
	a, src := c.app, c.logs[0].Source
	c.damage.Report(a)
	if err := c.conflicts.Err(); err != nil {
		a.Damaged([]error{err})
	}
	a.Notice(c.tally.Notices)
	c.tally.Denied.Report(a, src)
	if paths := c.selection.Paths; len(paths) > 0 {
		input.Explain(ctx, a, src, &c.tally, paths, true)
	}
}

// settle checks the options and parses the paths before any log is opened. QuoteHint explains an argument
// that looks like an unquoted path.
func (c *converter) settle(ctx context.Context, args []string, format, file string) error {
	names, more, err := input.SplitArguments(ctx, args, nil)
	if err != nil {
		return err
	}
	c.files, c.paths = names, append(c.paths, more...)

	if len(names) == 0 {
		return errors.New("no log given; for example winperf convert load.blg -o load.csv")
	}
	if _, terminal := console.IsTerminal(c.app.Stdout); terminal && file == "" && logs.IsRaw(format) {
		return fmt.Errorf("binary output is not written to a terminal: name a file, -o log.%s", format)
	}
	switch {
	case c.name != "" && (c.raw || logs.IsRaw(format) || format == logs.OpenMetrics):
		return errors.New("--name is for readings: csv, tsv, jsonl, json or paths, without --raw")
	case c.raw && logs.IsRaw(format):
		return fmt.Errorf("--raw: %s always holds raw values", format)
	case c.raw && format == logs.OpenMetrics:
		return fmt.Errorf("--raw: %s always holds raw values if the log has them", format)
	case c.raw && (format == "csv" || format == "tsv" || format == "json" || format == "paths"):
		return errors.New("--raw writes JSON lines for winperf cook: use -o jsonl" +
			" or a file name that ends in .jsonl")
	case c.raw && logs.IsPacked(file):
		return errors.New("--raw: lines of raw values are not compressed; -o raw.jsonl")
	case c.raw && format == "jsonl":
		c.types = rawline.RawTypes{}
	}

	paths, err := input.Paths(ctx, c.app, c.paths, &c.sel)
	if err != nil {
		return input.QuoteHint(ctx, names, c.paths, names, err)
	}

	c.selection, c.tally = input.SelectionOf(paths)
	c.options, err = c.sel.Options(c.language)
	c.name.Apply(&c.options)

	c.options.KeepFirst = true
	return err
}

func (c *converter) check(format string) error {
	if err := c.checkNames(); err != nil {
		return err
	}
	first := c.logs[0]
	machine := first.Source.Describe().Machine
	needer := format
	if c.raw {
		needer = "--raw"
	}

	for _, log := range c.logs {
		is := log.Source.Describe()
		switch {
		case is.Log.Raw && (c.raw || logs.IsRaw(format) || format == logs.OpenMetrics):
			return rawline.RawLinesError(log.Name, needer)
		case is.Cooked && format == logs.Capture:
			return fmt.Errorf("%s holds displayable values, but %s needs raw ones; convert the original log,"+
				" or write blg, csv, tsv or jsonl", log.Name, format)
		case format == logs.BLG && is.Cooked != first.Source.Describe().Cooked:
			const form = "%s and %s: one holds displayable values, the other raw ones," +
				" and a blg file cannot hold both; use -f jsonl"
			return fmt.Errorf(form, first.Name, log.Name)
		case is.Cooked && c.raw:
			return fmt.Errorf("--raw: %s holds displayable values, not raw ones", log.Name)
		case logs.IsRaw(format) && is.Machine != machine:
			const form = "%s is from machine %s and %s from %s, but %s holds samples of one machine"
			return fmt.Errorf(form, log.Name, is.Machine, first.Name, machine, format)
		}
		c.doubles = is.Cooked
	}
	if logs.IsRaw(format) && !c.doubles && c.sel.ForReadings() {
		return input.RawFormatError(format)
	}
	return nil
}

func (c *converter) machines() bool {
	return slices.ContainsFunc(c.logs, func(log *logs.Log) bool {
		return log.Source.Describe().Machine != c.logs[0].Source.Describe().Machine
	})
}

func (c *converter) close() error {
	all := c.logs
	c.logs = nil
	return input.CloseLogs(all)
}
