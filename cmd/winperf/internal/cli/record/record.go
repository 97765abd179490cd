package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/settings"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

type recorder struct {
	app           *console.App
	settings      settings.Flags
	source        input.SourceFlags
	read          input.LogFlags
	output        output.Flags
	sel           input.SelectFlags
	every         input.Interval
	thins         func() bool // whether -i was given
	count         input.Count
	limit         logs.Limits
	name          input.Naming
	naming        recordNaming
	begin         string
	end           string
	during        input.Interval
	sync          input.Interval
	quiet         bool
	attach        bool
	progressLines bool
	more          []string // paths

	format string
	paths  []winperf.Path
	cut    winperf.Selection // range of a log given by --begin and --end
	live   bool
	until  time.Time // end of a live recording
	zone   output.ShownZone
	clock  measure.Clock
	files  *logs.Files
	tally  input.Tally
	synced time.Time
	small  bool // a limit that is too small was reported
	reads  bool // computes readings
	begun  bool // a path has matched something

	sampled atomic.Pointer[time.Time] // time of the last sample; nil before the first one

	doubles bool // the source has no raw values; a binary log has doubles
}

type recordNaming struct {
	suffix nameSuffix
	append bool
}

// recordFormats returns the formats of record; the first one is the default.
func recordFormats() []sink.Format {
	formats := []sink.Format{
		{
			Name: "capture", Extensions: []string{".capture"},
			Description: "raw samples, decoded later",
		},
		{
			Name: "blg", Extensions: []string{".blg"},
			Description: "binary performance log of Windows, raw values",
		},
	}
	for _, f := range sink.Formats() {
		switch f.Name {
		case "csv", "tsv", "jsonl":
			formats = append(formats, f)
		}
	}
	return output.WithPacked(formats)
}

const recordHelp = `Record samples counters at an interval and writes them to a file. It stops on Ctrl-C,
after -n samples, or at the time of --for or --end. SIGTERM and SIGHUP complete the file
as Ctrl-C does; under nohup SIGHUP is ignored.

  capture     complete raw samples of the objects that the paths name, or without a path
              of all objects that are not costly. The file contains the name tables, is
              compressed, and is readable on any system
  blg         binary log of Windows, raw values; not verified on Windows
  csv, tsv    text logs of Windows, with a column for each instance of the first row.
              Instances that appear later are not recorded, even under the same name. To
              get all, record a capture and convert it
  jsonl       a JSON object for each reading; NAME.jsonl.zst is compressed

NAME can contain {time}, {date}, {mmddhhmm}, {host} and {serial}. The default is
winperf_{time} with the format's extension. An existing file is an error without
--overwrite or --append; --append requires the same counters. If NAME is a named pipe,
record waits until a program reads it. Other programs can read the file during recording,
but no other winperf can write it.

A path without a match is tried again with each sample. While no path matches, record
writes nothing and reports that it waits; the samples and the time of waiting count for -n
and --for.

--max-size, --max-samples and --max-time limit a file. At the limit recording stops; with
--at-limit new it continues in a new file. --at-limit circular also removes the oldest
files: it keeps about --max-size bytes, at least --max-samples samples, or the last
--max-time, in about eight files. With --append files of an earlier recording of the same
name count, and are removed first.

Each sample is written before the next one is taken. A killed program loses at most the
sample being written; blg files with intervals below one second lose up to one second. A
file is flushed to disk when it is closed and at the interval of --sync, which limits the
loss after a power failure. If the disk is full, recording ends and keeps the samples
already recorded.

With --experiments programs can attach experiments to the recording (winperf experiment
attach record), which measure the same source.

The file of --config (YAML, dist/winperf.yaml is an example) is shared with winperf serve.
Its section record: has the keys interval, max_time and so on: all flags but --experiments,
with _ for -, and paths: for the paths. Flags and paths given here override it; a change of
the file needs a restart. --check does not record: it ends with status 0, or with status 1
and all errors of the file by line and column. A path without a match is only a warning.

Exit status: 0 done, 1 nothing could be recorded or recording failed, 3 a path never had
a value (capture and blg: never matched), some values could not be read for lack of
permission, or some data was damaged.`

// Command returns the command record.
func Command(a *console.App, sections settings.Commands) *cobra.Command {
	r := &recorder{
		app: a, every: input.Interval(schedule.DefaultInterval),
		limit: logs.Limits{Action: logs.Stop}, clock: schedule.SystemClock(),
	}

	cmd := &cobra.Command{
		Use:   "record [PATH...] [-o NAME]",
		Short: "Record counters in files until stopped",
		Long:  recordHelp,
		Example: `  winperf record
  winperf record '\Processor(*)\*' '\Memory\*' -i 5 -o load.capture
  winperf record --for 8:00:00 --max-time 1:00:00 --at-limit new -o '{host}_{time}.capture'
  winperf record '\Process(*)\% Processor Time' -n 60 -o load.csv
  winperf record --max-size 100M --at-limit circular -o last.capture
  winperf record -cf paths.txt -si 15 -max 100 -cnf 1:00:00 -f csv -o load.csv  (as logman spells it)`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.settings.Apply(cmd); err != nil {
				return err
			}
			return r.run(cmd.Context(), args)
		},
	}

	r.flags(cmd)
	r.settings.Add(cmd, sections)
	return cmd
}

func (r *recorder) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	const every = "time between samples: 2, 0.5, 500ms, 1:30; of a log the first sample of each interval"
	f.VarP(input.LiveInterval{Interval: &r.every}, "interval", "i", every)
	r.thins = func() bool { return f.Changed("interval") }
	f.VarP(&r.count, "count", "n", "number of samples; 0 is unlimited")
	f.Var(&r.during, "for", "record for this time: 60, 10m, 8:00:00")

	const begin = "start at this `TIME`, such as '6/30/2007 15:40:00' or 2007-06-30T15:40:00;" +
		" omit earlier samples of a log, where +1h is an hour after the first sample"
	f.StringVar(&r.begin, "begin", "", begin)
	f.StringVar(&r.end, "end", "", "stop at this `TIME`; omit later samples of a log")

	const size = "largest size of a file, or with --at-limit circular of all files: 100 (megabytes), 500K, 2G"
	f.Var((*output.ByteSize)(&r.limit.Size), "max-size", size)
	const samples = "largest number of samples in a file, or with --at-limit circular the least number kept"
	f.Var((*input.Count)(&r.limit.Samples), "max-samples", samples)
	const longest = "longest time in a file, or with --at-limit circular in all files"
	f.Var((*input.Interval)(&r.limit.Time), "max-time", longest)
	const full = "when a file is full: stop, new (continue in a new file)" +
		" or circular (continue, and remove the oldest file)"
	f.Var((*limitAction)(&r.limit.Action), "at-limit", full)

	f.Var(&r.naming.suffix, "suffix", "end of the name: nnnnnn (serial number) or mmddhhmm")
	const more = "append to an existing file, or with --at-limit circular continue an earlier recording"
	f.BoolVar(&r.naming.append, "append", false, more)
	f.Var(&r.sync, "sync", "flush recorded data to disk at this interval: 10, 1m")
	f.BoolVar(&r.attach, "experiments", false, input.ExperimentsUsage)
	f.BoolVar(&r.quiet, "quiet", false, "report only errors")
	const progress = "report progress even without a terminal: one line for each sample"
	f.BoolVar(&r.progressLines, "progress", false, progress)

	r.source.Add(cmd)
	r.name.Add(cmd)
	r.read.Add(cmd)
	r.output.Add(cmd, recordFormats())
	f.Lookup("output").Usage = "write to the file `NAME`; its extension names the format"
	r.sel.Add(cmd, &r.source)
	r.sel.AddPDHExact(cmd)

	const noFiles = cobra.ShellCompDirectiveNoFileComp
	limits := []cobra.Completion{logs.Stop, logs.New, logs.Circular}
	console.Complete(cmd, "at-limit", cobra.FixedCompletions(limits, noFiles))
	console.Complete(cmd, "suffix", cobra.FixedCompletions(slices.Sorted(maps.Keys(suffixes)), noFiles))
	f.StringArrayVar(&r.more, "path", nil, "record counters that match this `PATH`, too")
	_ = f.MarkHidden("path") // logman's -c
	cmd.ValidArgsFunction = input.CompletePath(&r.source)
}

func (r *recorder) run(ctx context.Context, args []string) (err error) {
	if err := r.settle(ctx, args); err != nil {
		return err
	}
	src, zone, err := r.read.Open(ctx, r.app, r.source.Source)
	if err != nil {
		return err
	}
	defer src.Close()

	is := src.Describe()
	if err := r.check(is); err != nil {
		return err
	}
	r.live, r.zone = !is.Recorded, zone
	src = r.thin(src)
	if r.attach && !r.live {
		return errors.New("--experiments needs a live source, but this one is a log")
	}
	if r.files, err = r.newFiles(is); err != nil {
		return err
	}
	if r.settings.Check {
		r.warn(ctx, src)
		return nil
	}
	if r.live {
		defer r.app.Supervised(ctx, r.responds)()
		err = r.schedule(ctx)
	} else {
		err = r.cutRecord(ctx, src)
	}
	if err != nil {
		return err
	}

	if err := r.probe(ctx, src); err != nil {
		return err
	}
	if r.attach {
		stop, err := input.OpenExperiments(ctx, "record", src)
		if err != nil {
			return err
		}
		defer stop()
	}
	p := r.newProgress()
	err = r.outcome(ctx, src, r.record(ctx, src, p))
	p.clear()
	err = errors.Join(err, r.files.Close())
	r.finish(ctx, src, p, err)
	return err
}

// outcome returns the error of a recording, which ended with an error or recorded nothing.
func (r *recorder) outcome(ctx context.Context, src winperf.Source, err error) error {
	switch {
	case err != nil:
		return err
	case r.tally.Cycles > 0 && len(r.paths) > 0 && !r.begun:
		return errors.New("nothing was recorded")
	case r.files.Written().Samples == 0 && r.ends() && ctx.Err() == nil:
		return errEnded
	case r.tally.Cycles == 0 && !r.live && ctx.Err() == nil:
		return r.noSamples(ctx, src)
	}
	return r.tally.CheckExcluded(&r.sel)
}

// thin returns the source with the samples of a log selected by -i. A live source is returned unchanged.
func (r *recorder) thin(src winperf.Source) winperf.Source {
	if r.live || !r.thins() {
		return src
	}
	return logs.Thin{Interval: time.Duration(r.every)}.Of(src)
}

func (r *recorder) settle(ctx context.Context, args []string) (err error) {
	switch strings.ToLower(r.output.Format) { // logman's names
	case "bin":
		r.output.Format = "blg"
	case "bincirc":
		r.output.Format, r.limit.Action = "blg", logs.Circular
	}

	var file string
	if r.format, file, err = r.output.Resolve(); err != nil {
		return err
	}
	if file == "" && r.output.Output != "" {
		const form = "-o %s: record writes files (watch shows readings); to write a file in this format use -f %s"
		return fmt.Errorf(form, r.output.Output, r.format)
	}
	requested := slices.Concat(args, r.more)
	if r.paths, err = input.Paths(ctx, r.app, requested, &r.sel); err != nil {
		return input.QuoteHint(ctx, []string{r.source.Source}, requested, nil, err)
	}

	r.tally = input.NewTally(len(r.paths))
	r.tally.Continued = console.Continues()
	switch {
	case len(r.paths) == 0 && !logs.IsRaw(r.format):
		const form = `no path given: a %s file needs counters, such as '\Memory\Available MBytes'`
		return fmt.Errorf(form, r.format)
	case logs.IsRaw(r.format) && r.sel.ForReadings():
		return input.RawFormatError(r.format)
	case logs.IsRaw(r.format) && r.name != "":
		return fmt.Errorf("--name is for readings, but %s keeps raw values", r.format)
	case r.naming.append && r.output.Overwrite:
		return errors.New("--append and --overwrite exclude each other")
	case r.appends() && !logs.CanAppend(r.format, r.output.Output):
		return errors.New("--append: compressed files cannot be appended to; record to another file," +
			" and merge with winperf convert OLD.jsonl.zst NEW.jsonl.zst -o ALL.jsonl.zst")
	case r.naming.append && r.limit.Action == logs.New:
		return fmt.Errorf("--append continues one file, but --at-limit %s starts others", r.limit.Action)
	case r.limit.Action != logs.Stop && !r.limit.Set():
		return fmt.Errorf("--at-limit %s needs --max-size, --max-samples or --max-time", r.limit.Action)
	}
	return nil
}

func (r *recorder) selection() winperf.Selection {
	sel := r.cut
	sel.Paths, sel.Global = r.paths, len(r.paths) == 0
	return sel
}

func (r *recorder) record(ctx context.Context, src winperf.Source, p *recordProgress) error {
	opt, err := r.sel.Options(r.source.Language)
	if err != nil {
		return err
	}

	raw := logs.IsRaw(r.format)
	r.name.Apply(&opt)
	opt.Interval, opt.Count = time.Duration(r.every), int(r.count)
	opt.Clock, opt.For, opt.End = r.clock, time.Duration(r.during), r.until
	opt.CostlyTogether, opt.KeepFirst = raw, raw
	opt.RawOnly = r.format == logs.Capture && !r.reads
	opt.FramesOnly = r.format == logs.BLG && !r.reads && !r.doubles
	for m, err := range logs.Read(ctx, []*logs.Log{{Source: src}}, r.selection(), opt) {
		switch {
		case err != nil:
			return err
		case len(m.Cycles) == 0 && r.tally.Cycles == 0:
			return errors.Join(m.Damage...)
		case len(m.Cycles) == 0: // after the last sample of a log
			r.app.Damaged(m.Damage)
			return nil
		}

		cycle := m.Cycles[0]
		now := time.Now()
		r.sampled.Store(&now)
		r.countSample(cycle)
		if r.waits(ctx, src) {
			continue
		}

		full, err := r.files.Add(ctx, m, sampleTime(cycle))
		r.reportSmall()
		if err != nil {
			return err
		}
		if full {
			r.reportFull()
			return nil
		}
		if err := r.syncNow(); err != nil {
			return err
		}
		p.show(r.files.Written())
	}
	return nil
}

// reportFull reports that the recording ends at the limit of its file.
func (r *recorder) reportFull() {
	if r.quiet {
		return
	}
	var limits []string
	if r.limit.Samples > 0 {
		limits = append(limits, fmt.Sprintf("--max-samples %d", r.limit.Samples))
	}
	if r.limit.Size > 0 {
		limits = append(limits, "--max-size "+output.FormatSize(r.limit.Size))
	}
	if r.limit.Time > 0 {
		limit := input.Interval(r.limit.Time)
		limits = append(limits, "--max-time "+limit.String())
	}
	const form = "stopped at %s; --at-limit new continues in a new file"
	r.app.Complain(fmt.Errorf(form, strings.Join(limits, " or ")))
}

func sampleTime(c *measure.Cycle) time.Time {
	if c.Sample != nil {
		if t := capture.Time(c.Sample); !t.IsZero() {
			return t
		}
	}
	return c.Time
}

func (r *recorder) countSample(c *measure.Cycle) {
	if !r.reads {
		r.tally.Cycles++
		r.tally.Miss(c.Missed)
		r.tally.CountDamage(c)
		return
	}
	r.tally.Count(c)
}

// syncNow flushes the file to disk if the interval has passed.
func (r *recorder) syncNow() error {
	if !r.syncDue(time.Now()) {
		return nil
	}
	r.synced = time.Now()
	return r.files.Sync()
}

// syncDue reports whether waiting for the next sample would exceed the interval of --sync.
func (r *recorder) syncDue(now time.Time) bool {
	next := now.Add(time.Duration(r.every))
	return r.sync > 0 && next.Sub(r.synced) > time.Duration(r.sync)
}

func (r *recorder) finish(ctx context.Context, src winperf.Source, p *recordProgress, err error) {
	a, t := r.app, &r.tally
	t.ReportDamage(a)
	t.ReportCounts(a, "disk")
	written := r.files.Written()
	if written.Late > 0 {
		const form = "%d series began after the first sample and are not in the %s file%s;" +
			" use -f jsonl or -f capture to keep them"
		a.Complain(fmt.Errorf(form, written.Late, r.format, console.SomeNames(written.LateNames, written.Late)))
	}

	if err == nil {
		t.Denied.Report(a, src)
	}
	switch {
	case err != nil:
	case logs.IsRaw(r.format): // rates without a value are not missing
		a.Partial = a.Partial || t.Unmatched()
	default:
		input.Explain(context.WithoutCancel(ctx), a, src, t, r.paths, true)
	}
	p.summary(written)
}
