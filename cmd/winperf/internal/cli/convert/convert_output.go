package convert

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/rawline"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/safetext"
)

// convertOutput is where convert writes: a file that appears when it is
// complete, or standard output.
type convertOutput struct {
	logs.Writer
	file  *output.File // nil for standard output
	old   fs.FileInfo  // of the file that is appended to, else nil
	spool spoolFile
}

// create begins the output.
func (c *converter) create(ctx context.Context, format, file string) (out *convertOutput, err error) {
	opt := input.WriteOptions(c.logs[0].Source.Describe(), c.zone, format, file, c.selection.Paths)
	opt.Named, opt.Chosen = true, len(opt.Paths) > 0
	opt.Exclude, opt.Machines, opt.Instance = c.options.Exclude, c.machines(), !c.target.Sets(logs.InstanceLabel)
	if opt.Labels, err = c.target.SeriesLabels(); err != nil {
		return nil, err
	}
	opt.Sink.ByName = format == "csv" || format == "tsv"
	if opt.Sink.Columns, err = c.columns(ctx, format); err != nil {
		return nil, err
	}

	out = &convertOutput{spool: spoolFile{beside: file}}
	opt.Spool = out.spool.open
	w := io.Writer(struct{ io.Writer }{c.app.Stdout}) // a pipe cannot be sought in
	if _, terminal := console.IsTerminal(c.app.Stdout); terminal {
		w = safetext.NewTerminal(w)
	}
	if file != "" {
		if w, opt.Tail, err = c.open(ctx, out, format, file); err != nil {
			return nil, err
		}
	}
	if format == logs.OpenMetrics { // which is all written at the end
		w = &writing{Writer: w, ctx: ctx, progress: c.progress}
	}

	if c.types != nil {
		out.Writer, err = rawline.NewRawLines(w, c.types)
	} else {
		out.Writer, err = logs.NewWriter(w, format, opt)
	}
	if err != nil {
		out.abandon()
	}
	return out, err
}

// columns returns the paths of the series for formats that have them at their beginning, nil for others. A
// binary log has those of displayable values, which it keeps as readings.
func (c *converter) columns(ctx context.Context, format string) (found []string, err error) {
	samples := 0
	show := func(m *logs.Moment) {
		samples += len(m.Cycles)
		c.progress.Show(m, samples)
	}

	switch format {
	case "csv", "tsv":
		return logs.Columns(ctx, c.logs, c.selection, c.options, show)
	case logs.BLG:
		opt := c.options
		opt.FramesOnly = false
		found, err = logs.Listed(ctx, c.logs, c.selection, opt, show)
		c.options.FramesOnly = c.options.FramesOnly && found == nil
	}
	return found, err
}

// finish completes the output. The logs are closed before it takes its name,
// which may be that of one of them.
func (o *convertOutput) finish(closeLogs func() error) error {
	if err := errors.Join(o.Close(), closeLogs()); err != nil || o.file == nil {
		return err
	}
	if err := o.unchanged(); err != nil {
		return err
	}
	return o.file.Close()
}

// abandon leaves nothing of an output that is not complete.
func (o *convertOutput) abandon() {
	_ = o.spool.Close() // nobody reads it any more
	if o.file != nil {
		_ = o.file.Abandon() // the conversion has failed already
	}
}
