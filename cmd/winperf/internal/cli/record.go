package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/schedule"
	"github.com/winperf/winperf/measure"
)

// recorder is the record command.
type recorder struct {
	app    *app
	source sourceFlags
	read   logFlags
	output outputFlags
	sel    selectFlags
	every  interval
	count  count
	limit  limitFlags
	naming recordNaming
	begin  string
	end    string
	during interval
	sync   interval
	quiet  bool
	tell   bool
	more   []string // paths

	format string
	paths  []winperf.Path
	live   bool
	until  time.Time // that --end says
	log    winperf.LogInfo
	zone   shownZone
	clock  measure.Clock
	files  *recordFiles
	tally  tally
	synced time.Time
	late   int
}

// limitFlags bound a file.
type limitFlags struct {
	size    byteSize
	samples count
	time    interval
	action  limitAction
}

// recordNaming are the flags about names of files.
type recordNaming struct {
	suffix nameSuffix
	append bool
}

func (a *app) recordCommand() *cobra.Command {
	r := &recorder{
		app: a, every: interval(schedule.DefaultInterval),
		limit: limitFlags{action: limitStop}, clock: schedule.SystemClock(),
	}
	cmd := &cobra.Command{
		Use:   "record [PATH...] [-o NAME]",
		Short: "Record counters in files until stopped",
		Long: `Record takes a sample every interval and writes it to a file, until Ctrl-C, the
number of samples that -n asks for, or the time of --for or --end. SIGTERM and
SIGHUP complete the file as Ctrl-C does; under nohup a hang-up does not end it.

  capture     raw samples byte for byte with all names, compressed, to be read
              later on any system: of the objects that the paths name whole, what
              the source gives; without a path all that are not costly
  blg         binary log of Windows, raw values; not verified on Windows
  csv, tsv    text logs of Windows; a column for each instance of the first row
  jsonl       a JSON object for each reading

NAME may hold {time}, {date}, {mmddhhmm}, {host} and {serial}. Without -o it is
winperf_{time} with the format's extension. A file that exists is left alone,
unless --append or --overwrite says otherwise; a named pipe is none, and is
written to when somebody reads it. While a file is being recorded it can be read,
but no other winperf can write it.

--max-size, --max-samples and --max-time bound a file. When it is full recording
stops; --at-limit new goes on in a new file, and --at-limit circular too, and
removes the oldest of them: about --max-size bytes, at least --max-samples
samples or the last --max-time are kept, in some eight files.

A sample is handed to the system before the next one is taken, so that a program
that is killed loses at most the one being written; of blg, where they are less
than a second apart, those of one second. A file is put on the disk when it is
closed, and with --sync every so often: no more than that is lost with the power.
When the disk is full the recording ends with what was recorded before.

Exit status: 0 done, 1 nothing could be recorded or recording failed, 3 a path
gave no value, some values may not be read, or some of the data was damaged.`,
		Example: `  winperf record
  winperf record '\Processor(*)\*' '\Memory\*' -i 5 -o load.capture
  winperf record --for 8:00:00 --max-time 1:00:00 --at-limit new -o '{host}_{time}.capture'
  winperf record '\Process(*)\% Processor Time' -n 60 -o load.csv
  winperf record --max-size 100M --at-limit circular -o last.capture
  winperf record -cf paths.txt -si 15 -max 100 -cnf 1:00:00 -f csv -o load.csv  (as logman spells it)`,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	r.flags(cmd)
	return cmd
}

func (r *recorder) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.VarP(&r.every, "interval", "i", "time between samples: 2, 0.5, 500ms, 1:30")
	f.VarP(&r.count, "count", "n", "number of samples; 0 goes on until stopped")
	f.Var(&r.during, "for", "record for this time: 60, 10m, 8:00:00")
	const begin = "wait for this `TIME`, such as '6/30/2007 15:40:00' or 2007-06-30T15:40:00"
	f.StringVar(&r.begin, "begin", "", begin)
	f.StringVar(&r.end, "end", "", "stop at this `TIME`")
	f.Var(&r.limit.size, "max-size", "limit of a file's size: 100 (megabytes), 500K, 2G")
	f.Var(&r.limit.samples, "max-samples", "limit of the samples in a file")
	f.Var(&r.limit.time, "max-time", "limit of the time in a file")
	f.Var(&r.limit.action, "at-limit", "what to do when a file is full: stop, new (file) or circular")
	f.Var(&r.naming.suffix, "suffix", "end of the name: nnnnnn (serial number) or mmddhhmm")
	f.BoolVar(&r.naming.append, "append", false, "go on with a file that exists")
	f.Var(&r.sync, "sync", "put what was recorded on the disk every so often: 10, 1m")
	f.BoolVar(&r.quiet, "quiet", false, "tell nothing but what goes wrong")
	f.BoolVar(&r.tell, "progress", false, "tell progress also where nobody watches: a line for each sample")
	r.source.add(cmd)
	r.read.add(cmd)
	r.output.add(cmd, recordFormats())
	f.Lookup("output").Usage = "`NAME` of the file, whose extension names the format"
	r.sel.add(cmd, &r.source)
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	limits := []cobra.Completion{limitStop, limitNew, limitCircular}
	complete(cmd, "at-limit", cobra.FixedCompletions(limits, noFiles))
	complete(cmd, "suffix", cobra.FixedCompletions(slices.Sorted(maps.Keys(suffixes)), noFiles))
	f.StringArrayVar(&r.more, "path", nil, "record what this `PATH` names too")
	_ = f.MarkHidden("path") // logman's -c
	cmd.ValidArgsFunction = completePath(&r.source)
}

func (r *recorder) run(ctx context.Context, args []string) (err error) {
	if err := r.settle(ctx, args); err != nil {
		return err
	}
	src, zone, err := r.read.open(ctx, r.app, r.source.source)
	if err != nil {
		return err
	}
	defer src.Close()

	is := src.Describe()
	r.live, r.log, r.zone = !is.Recorded, is.Log, zone
	if r.files, err = r.newFiles(is.Machine); err != nil {
		return err
	}
	if err := r.schedule(ctx); err != nil {
		return err
	}

	if err := r.probe(ctx, src); err != nil {
		return err
	}
	p := r.newProgress()
	err = r.record(ctx, src, p)
	if err == nil && r.files.samples == 0 && r.ends() && ctx.Err() == nil {
		err = errEnded
	}

	p.clear()
	err = errors.Join(err, r.files.close())
	r.finish(ctx, src, p, err)
	return err
}

// settle reads the options before anything is opened.
func (r *recorder) settle(ctx context.Context, args []string) (err error) {
	switch strings.ToLower(r.output.format) { // logman's words
	case "bin":
		r.output.format = "blg"
	case "bincirc":
		r.output.format, r.limit.action = "blg", limitCircular
	}

	var file string
	if r.format, file, err = r.output.resolve(); err != nil {
		return err
	}
	if file == "" && r.output.output != "" {
		const form = "-o %s: record writes files (watch shows readings); for a file of this format -f %s"
		return fmt.Errorf(form, r.output.output, r.format)
	}
	asked := slices.Concat(args, r.more)
	if r.paths, err = r.app.paths(ctx, asked, &r.sel); err != nil {
		return r.app.quoteHint(ctx, &r.source, asked, err)
	}

	r.tally = newTally(len(r.paths))
	switch {
	case len(r.paths) == 0 && !isRawFormat(r.format):
		const form = `no path given: a %s file has readings of counters, such as '\Memory\Available MBytes'`
		return fmt.Errorf(form, r.format)
	case isRawFormat(r.format) && (len(r.sel.exclude) > 0 || r.sel.cap100):
		return fmt.Errorf("--exclude and --cap100 are about readings, and %s keeps raw values", r.format)
	case r.naming.append && r.output.overwrite:
		return errors.New("--append and --overwrite exclude each other")
	case r.naming.append && r.format == "blg":
		return fmt.Errorf("--append: a binary log cannot be appended to; winperf convert merges logs: %w",
			winperf.ErrNotSupported)
	case r.naming.append && r.limit.action != limitStop:
		return fmt.Errorf("--append goes on with one file, --at-limit %s begins others", r.limit.action)
	case r.limit.action != limitStop && !r.limit.set():
		return fmt.Errorf("--at-limit %s needs --max-size, --max-samples or --max-time", r.limit.action)
	}
	return nil
}

// set tells whether there is a limit.
func (l *limitFlags) set() bool { return l.size > 0 || l.samples > 0 || l.time > 0 }

// newFiles makes the files of the recording, of which the first is opened with
// the first sample.
func (r *recorder) newFiles(host string) (*recordFiles, error) {
	pattern := r.output.output
	if pattern == "" {
		pattern = "winperf_{time}" + r.extension()
	}
	if s := suffixes[string(r.naming.suffix)]; s != "" {
		pattern = beforeExtension(pattern, s)
	}

	several := r.limit.action != limitStop
	names, err := newFileNames(pattern, host, several)
	if err != nil {
		return nil, err
	}

	files := &recordFiles{
		names: names, format: r.format, source: r.source.source,
		newForm: r.newForm, limits: r.limit, note: r.app.complain,
	}
	switch {
	case r.naming.append:
		files.mode = openAppend
	case r.output.overwrite:
		files.mode = openOverwrite
	}

	if !names.fixed() {
		return files, nil
	}
	_, err = files.target(pattern).look() // now, not behind a long interval
	return files, err
}

func (r *recorder) extension() string {
	for _, f := range r.output.formats {
		if f.Name == r.format {
			return f.Extensions[0]
		}
	}
	return ""
}

// probe looks whether the paths name something, where what is recorded would not
// show it.
func (r *recorder) probe(ctx context.Context, src winperf.Source) error {
	if !isRawFormat(r.format) || len(r.paths) == 0 {
		return nil
	}
	opt, err := r.sel.options(r.source.language)
	if err != nil {
		return err
	}

	opt.CostlyTogether = true // as they will be recorded
	c := measure.New(src, winperf.Selection{Paths: r.paths}, opt)
	defer c.Close()
	cycle, err := c.Cycle(ctx)
	if err != nil {
		return err
	}

	r.tally.count(cycle)
	r.app.explain(ctx, src, &r.tally, r.paths, false) // a rate has no value yet
	r.app.partial = r.app.partial || r.tally.explanations > 0
	if r.tally.hopeless() {
		return errors.New("nothing was recorded")
	}
	return nil
}

func (r *recorder) record(ctx context.Context, src winperf.Source, p *recordProgress) error {
	opt, err := r.sel.options(r.source.language)
	if err != nil {
		return err
	}

	opt.Interval, opt.Count = time.Duration(r.every), int(r.count)
	opt.Clock, opt.For, opt.End = r.clock, time.Duration(r.during), r.until
	opt.RawOnly, opt.FramesOnly, opt.KeepFirst = r.format == "capture", r.format == "blg", r.format == "blg"
	sel := winperf.Selection{Paths: r.paths}
	if len(r.paths) == 0 {
		sel = winperf.Selection{Global: true}
	}

	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err != nil && !r.live && r.files.samples > 0 && errors.Is(err, winperf.ErrBadData) {
			r.app.damaged([]error{err}) // behind the last sample of a record
			return nil
		}

		if err != nil {
			return err
		}
		r.countSample(cycle)
		full, err := r.files.add(ctx, cycle, sampleTime(cycle))
		if err != nil || full {
			return err
		}
		if err := r.syncNow(); err != nil {
			return err
		}
		p.show(r.files)
	}
	return nil
}

// sampleTime is when a sample was taken.
func sampleTime(c *measure.Cycle) time.Time {
	if c.Sample != nil {
		if t := capture.Time(c.Sample); !t.IsZero() {
			return t
		}
	}
	return c.Time
}

// countSample counts a sample.
func (r *recorder) countSample(c *measure.Cycle) {
	if isRawFormat(r.format) {
		r.tally.cycles++
		r.tally.missed += c.Missed
		r.tally.countDamage(c)
		return
	}
	r.tally.count(c)
}

// syncNow puts the file on the disk when it is time.
func (r *recorder) syncNow() error {
	f := r.files.current
	if f == nil || !r.syncDue(time.Now()) {
		return nil
	}
	r.synced = time.Now()
	if err := f.sync(); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// syncDue tells whether the next sample would come too late to put this one on
// the disk.
func (r *recorder) syncDue(now time.Time) bool {
	next := now.Add(time.Duration(r.every))
	return r.sync > 0 && next.Sub(r.synced) > time.Duration(r.sync)
}

// finish says at the end what was recorded and what was not as it should be.
func (r *recorder) finish(ctx context.Context, src winperf.Source, p *recordProgress, err error) {
	a, t := r.app, &r.tally
	t.reportDamage(a)
	if t.missed > 0 {
		const form = "%d samples were missed because the machine or the disk was too slow"
		a.complain(fmt.Errorf(form, t.missed))
	}
	if t.damaged > 1 {
		a.complain(fmt.Errorf("%d of %d samples were damaged", t.damaged, t.cycles))
	}
	if r.late > 0 {
		const form = "%d series came after the first sample and are not in the %s file"
		a.complain(fmt.Errorf(form, r.late, r.format))
	}

	if err == nil && !isRawFormat(r.format) {
		t.denied.report(a, src)
		a.explain(context.WithoutCancel(ctx), src, t, r.paths, true)
	}
	p.summary(r.files)
}
