package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/pdhlog"
	"github.com/winperf/winperf/sink"
)

// moment is what the logs hold of one time.
type moment struct {
	time     time.Time
	cycles   cycles
	readings view
}

// cycles are the readings of several samples, one behind the other.
type cycles []*measure.Cycle

// Len implements winperf.Readings.
func (c cycles) Len() int {
	n := 0
	for _, cycle := range c {
		n += cycle.Len()
	}
	return n
}

// At implements winperf.Readings.
func (c cycles) At(i int) *winperf.Reading {
	for i >= c[0].Len() {
		i -= c[0].Len()
		c = c[1:]
	}
	return c[0].At(i)
}

// logWriter writes moments to a log.
type logWriter interface {
	write(m *moment) error
	Close() error
}

// convertOutput is where convert writes: a file that appears when it is
// complete, or standard output.
type convertOutput struct {
	logWriter
	buffer *bufio.Writer
	file   *pendingFile // nil for standard output
}

// outputBuffer is how many bytes are written at once.
const outputBuffer = 256 << 10

// create begins the output.
func (c *converter) create(ctx context.Context, format, file string) (*convertOutput, error) {
	columns, err := c.columns(ctx, format)
	if err != nil {
		return nil, err
	}

	out := &convertOutput{}
	w := io.Writer(struct{ io.Writer }{c.app.stdout}) // a pipe cannot be sought in
	if _, terminal := isTerminal(c.app.stdout); terminal {
		w = safetext.NewTerminal(w)
	}

	if file != "" {
		if out.file, err = createPending(ctx, c.output.target(file)); err != nil {
			return nil, err
		}
		w = out.file
	}

	out.logWriter, err = c.newWriter(out, w, format, file, columns)
	if err != nil {
		out.abandon()
		return nil, err
	}
	return out, nil
}

// newWriter makes the writer of a format.
func (c *converter) newWriter(
	out *convertOutput, w io.Writer, format, file string, columns []string,
) (logWriter, error) {
	first := c.inputs[0]
	switch format {
	case "capture":
		opt := capture.Options{Location: first.info.Location}
		return &captureWriter{w: capture.NewWriter(w, opt), paths: len(c.selection.Paths) > 0}, nil
	case "blg":
		opt := pdhlog.Options{
			Layout: pdhlog.Objects, Location: c.zone.Location, System: writtenBy(first.info),
			Name: filepath.Base(file), Paths: c.selection.Paths,
		}
		if len(opt.Paths) > 0 {
			opt.Layout = pdhlog.Counters
		}
		blg, err := pdhlog.NewWriter(w, opt)
		return &blgWriter{blg}, err
	}

	out.buffer = bufio.NewWriterSize(w, outputBuffer)
	opt := c.zone.sinkOptions(file != "")
	opt.Columns = columns
	s, err := sink.New(format, out.buffer, opt)
	return &readingWriter{s}, err
}

// finish completes the output. The logs are closed before it takes its name,
// which may be that of one of them.
func (o *convertOutput) finish(closeLogs func() error) error {
	err := o.Close()
	if o.buffer != nil {
		err = errors.Join(err, o.buffer.Flush())
	}
	err = errors.Join(err, closeLogs())
	if err != nil || o.file == nil {
		return err
	}
	return o.file.commit()
}

// abandon leaves nothing of an output that is not complete.
func (o *convertOutput) abandon() {
	if o.file != nil {
		o.file.abandon()
	}
}

// readingWriter writes readings.
type readingWriter struct{ sink.Sink }

func (w *readingWriter) write(m *moment) error { return w.Write(m.time, &m.readings) }

// blgWriter writes a binary log.
type blgWriter struct{ *pdhlog.Writer }

func (w *blgWriter) write(m *moment) error {
	for _, cycle := range m.cycles {
		if err := w.Write(cycle.Frame, cycle.Names); err != nil {
			return err
		}
	}
	return nil
}
