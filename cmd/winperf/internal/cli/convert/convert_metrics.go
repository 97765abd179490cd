package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/sink/prometheus"
)

// spoolFile is a temporary file that is made when it is needed.
type spoolFile struct {
	*os.File
	beside string // the output: where there is room for that, there is for this; "" is standard output
}

// open makes the file. Where a system allows that, it has no name from now on, so that nothing
// is left of it however the program ends.
func (s *spoolFile) open() (prometheus.Spool, error) {
	dir := ""
	if info, err := os.Stat(s.beside); s.beside != "" && (err != nil || info.Mode().IsRegular()) {
		dir = filepath.Dir(s.beside)
	}
	f, err := os.CreateTemp(dir, "winperf-*.spool")
	if err != nil {
		return nil, fmt.Errorf("temporary file for metrics: %w", err)
	}
	if output.ReplacesOpen {
		_ = os.Remove(f.Name()) // or else Close does
	}
	s.File = f
	return s, nil
}

// Close closes and removes the file; again it does nothing.
func (s *spoolFile) Close() error {
	f := s.File
	if f == nil {
		return nil
	}

	s.File = nil
	err := f.Close()
	if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// writing is what a conversion writes at its end: until the context does, and telling how much
// that was.
type writing struct {
	io.Writer
	ctx      context.Context
	progress *output.Progress
	done     int64
}

// Write implements io.Writer.
func (w *writing) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.Writer.Write(b)
	w.done += int64(n)
	w.progress.Line(func(time.Duration) string {
		return fmt.Sprintf("%.1f MB written", float64(w.done)/1e6)
	})
	return n, err
}

// retention is how long Prometheus keeps blocks, if it is told nothing else.
const retention = 15 * 24 * time.Hour

// finishMetrics tells of samples that are not in the text, or will not stay in a database.
func (c *converter) finishMetrics(out *convertOutput) {
	if n := logs.OutOfOrder(out.Writer); n > 0 {
		const form = "%d samples were left out: their series have one of the same time or a later one before them"
		c.app.Complain(fmt.Errorf(form, n))
		c.app.Partial = true
	}
	if !c.quiet && time.Since(c.last) > retention {
		const form = "the last sample is of %s: Prometheus deletes what is older than its newest block by more" +
			" than --storage.tsdb.retention.time, which is 15 days unless it is set"
		c.app.Complain(fmt.Errorf(form, c.last.In(c.zone.Location).Format(time.DateOnly)))
	}
}
