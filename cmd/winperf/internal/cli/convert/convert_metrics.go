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

type spoolFile struct {
	*os.File
	nearby string // the output, whose directory has enough space; "" for standard output
}

// open creates the file and, where the system allows it, removes its name, so that no file remains if the
// program is killed.
func (s *spoolFile) open() (prometheus.Spool, error) {
	dir := ""
	if info, err := os.Stat(s.nearby); s.nearby != "" && (err != nil || info.Mode().IsRegular()) {
		dir = filepath.Dir(s.nearby)
	}
	f, err := os.CreateTemp(dir, "winperf-*.spool")
	if err != nil {
		return nil, fmt.Errorf("temporary file for metrics: %w", err)
	}
	if output.ReplacesOpen {
		_ = os.Remove(f.Name()) // otherwise Close removes it
	}
	s.File = f
	return s, nil
}

// Close closes and removes the file. Further calls do nothing.
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

// writing counts the bytes that a conversion writes at its end, and stops when the context ends.
type writing struct {
	io.Writer
	ctx      context.Context
	progress *output.Progress
	done     int64
}

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

const retention = 15 * 24 * time.Hour

// finishMetrics reports samples that are not in the text or that a database will delete.
func (c *converter) finishMetrics(out *convertOutput) {
	if n := logs.OutOfOrder(out.Writer); n > 0 {
		const form = "%d samples were omitted: an earlier sample of their series has the same or a later time"
		c.app.Complain(fmt.Errorf(form, n))
		c.app.Partial = true
	}
	if !c.quiet && time.Since(c.last) > retention {
		const form = "the last sample is from %s: Prometheus deletes blocks older than its newest block by more" +
			" than --storage.tsdb.retention.time (default 15 days)"
		c.app.Complain(fmt.Errorf(form, c.last.In(c.zone.Location).Format(time.DateOnly)))
	}
}
