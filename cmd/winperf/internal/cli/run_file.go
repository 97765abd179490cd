package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/trial"
	"github.com/winperf/winperf/source"
)

// runFile runs the experiment of a file, or checks it.
func (r *runner) runFile(ctx context.Context, name string) error {
	text, err := readRegistrationFile(ctx, name)
	if err != nil {
		return err
	}
	f, err := trial.ReadFile(name, text)
	if err != nil {
		return err
	}

	// What only opening its sources can tell shows before anything is made.
	opener := r.opener()
	checked, err := trial.Prepare(ctx, f, nil, opener)
	if err != nil {
		return err
	}
	if err := checked.Close(); err != nil || r.check {
		return err
	}

	if f.Seed == 0 {
		if f.Seed = r.seed; f.Seed == 0 {
			f.Seed = rand.Uint64()
		}
	}
	opt := f.Trials()
	if r.folder == "" {
		r.folder = f.Name.V + "-" + time.Now().Format("20060102-150405")
	}
	folder, err := r.create(&opt)
	if err != nil {
		return err
	}
	return r.runSession(ctx, f, text, folder, opener)
}

// runSession runs an experiment into its folder and reports.
func (r *runner) runSession(
	ctx context.Context, f *trial.File, text []byte, folder *trial.Folder, opener *trial.Opener,
) (err error) {
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := folder.Keep(trial.FileExperiment, text); err != nil {
		return err
	}
	s, err := trial.Prepare(ctx, f, folder, opener)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	s.Told = r.app.complain
	opt := f.Trials()
	done := 0
	out, err := s.Run(ctx, func(*trial.Result) error {
		done++
		r.progress(&opt, done)
		return nil
	})
	report := r.outcome(f, &out, folder.Path)
	_, told := fmt.Fprint(r.app.stderr, report)
	return errors.Join(err, told, folder.Keep(trial.FileReport, []byte(report)))
}

// opener opens what experiments name.
func (r *runner) opener() *trial.Opener {
	return &trial.Opener{
		Source: func(ctx context.Context, url string) (winperf.Source, error) {
			return r.app.openSource(ctx, url, source.LogOptions{})
		},
		Lines: r.openLines,
		Listen: func(ctx context.Context, path string) (net.Listener, error) {
			var c net.ListenConfig
			return c.Listen(ctx, "unix", path)
		},
		Stdout: r.app.stdout, Stderr: r.app.stderr,
	}
}

// openLines opens what event lines are read from. A pipe is opened for writing, too, where that
// works, so that it does not end with the first of its writers.
func (r *runner) openLines(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "stdin" {
		in, err := r.app.input("events")
		return io.NopCloser(in), err
	}
	return call.Once(ctx, func() (io.ReadCloser, error) {
		if info, err := os.Stat(name); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			return os.OpenFile(name, os.O_RDWR, 0)
		}
		return os.Open(name)
	})
}

// outcome is what an experiment gave, as text.
func (r *runner) outcome(f *trial.File, out *trial.Outcome, folder string) string {
	var b strings.Builder
	if len(f.Commands) > 0 {
		opt := f.Trials()
		b.WriteString(r.report(out.Results) + r.left(&opt, len(out.Results)))
	}
	if len(f.Bindings) > 0 {
		fmt.Fprintf(&b, "\n%d records, %d of them dropped", out.Status.Stored, out.Status.Dropped)
		for _, route := range out.Delivery.Routes {
			fmt.Fprintf(&b, "; %s got %d", safetext.Line(filepath.Base(route.Name)), route.Delivered)
			if route.Lost+route.Refused > 0 {
				r.app.partial = true
				fmt.Fprintf(&b, " and lost %d", route.Lost+route.Refused)
			}
		}
		b.WriteString("\n")
		r.app.partial = r.app.partial || out.Status.Dropped > 0
		writeSources(&b, &out.Status)
	}

	for _, summary := range out.Summaries {
		writeStatistics(&b, summary)
	}
	fmt.Fprintf(&b, "\nresults in %s\n", safetext.Line(folder))
	return b.String()
}

// writeSources tells of event sources that gave up.
func writeSources(b *strings.Builder, s *experiment.Status) {
	for _, e := range s.Events {
		if e.Err != nil {
			fmt.Fprintf(b, "event source %s gave up: %s\n", safetext.Line(e.Name), safetext.Line(e.Err.Error()))
		}
	}
}

// writeStatistics writes the statistics of an event name.
func writeStatistics(b *strings.Builder, rec *experiment.Record) {
	fmt.Fprintf(b, "\n%s\n", safetext.Line(rec.Event.Name))
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i := range rec.Values {
		v := &rec.Values[i]
		s := v.Statistics
		if s == nil {
			continue
		}
		what := ""
		if s.Difference {
			what = " (difference)"
		}
		fmt.Fprintf(t, "  %s%s\tn=%d\tmean %.6g", safetext.Line(v.Path), what, s.Count, s.Mean)
		if s.Count > 1 {
			fmt.Fprintf(t, " (%.6g to %.6g)", s.Low, s.High)
		}
		for p, percent := range s.Percents {
			fmt.Fprintf(t, "\tp%.4g %.6g", percent, s.Percentiles[p])
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // to memory
}
