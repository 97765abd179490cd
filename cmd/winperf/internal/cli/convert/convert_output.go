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

// convertOutput is standard output, or a file that appears when it is complete.
type convertOutput struct {
	logs.Writer
	file  *output.File // nil for standard output
	old   fs.FileInfo  // of the file to append to, or nil
	spool spoolFile
}

func (c *converter) create(ctx context.Context, format, file string) (out *convertOutput, err error) {
	opt := input.WriteOptions(c.logs[0].Source.Describe(), c.zone, format, file, c.selection.Paths)
	opt.Named, opt.Chosen, opt.Doubles, opt.Names = true, len(opt.Paths) > 0, c.doubles, c.names
	opt.Exclude, opt.Machines, opt.Instance = c.options.Exclude, c.machines(), !c.target.Sets(logs.InstanceLabel)
	opt.PhysicalMemory = uint64(c.memory)
	if opt.Labels, err = c.target.SeriesLabels(); err != nil {
		return nil, err
	}
	opt.Sink.ByName = format == "csv" || format == "tsv"
	if opt.Sink.Columns, err = c.columns(ctx, format); err != nil {
		return nil, err
	}

	out = &convertOutput{spool: spoolFile{nearby: file}}
	opt.Spool = out.spool.open
	w := io.Writer(struct{ io.Writer }{c.app.Stdout}) // a pipe is not seekable
	if _, terminal := console.IsTerminal(c.app.Stdout); terminal {
		w = safetext.NewTerminal(w)
	}
	if file != "" {
		if w, opt.Tail, err = c.open(ctx, out, format, file); err != nil {
			return nil, err
		}
	}
	if format == logs.OpenMetrics { // all is written at the end
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

// columns returns the paths of the series for formats that begin with them, otherwise nil. A binary log
// has such a list for displayable values.
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
		if c.doubles {
			return logs.Listed(ctx, c.logs, c.selection, c.options, show)
		}
	}
	return nil, nil
}

// finish completes the output. It closes the logs before the rename, because the new name may be the name
// of a log.
func (o *convertOutput) finish(closeLogs func() error) error {
	if err := errors.Join(o.Close(), closeLogs()); err != nil || o.file == nil {
		return err
	}
	if err := o.unchanged(); err != nil {
		return err
	}
	return o.file.Close()
}

func (o *convertOutput) abandon() {
	_ = o.spool.Close() // it is not read any longer
	if o.file != nil {
		_ = o.file.Abandon() // the conversion has already failed
	}
}
