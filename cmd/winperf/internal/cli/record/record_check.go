package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/rawline"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/measure"
)

// check refuses a format of raw values that the source does not have.
func (r *recorder) check(is winperf.Description) error {
	switch {
	case is.Log.Raw && logs.IsRaw(r.format):
		return rawline.RawLinesError(r.source.Source, r.format)
	case is.Cooked && r.format == logs.Capture:
		const form = "%s: the source has no raw samples for a capture; use -f blg, csv, tsv or jsonl: %w"
		return fmt.Errorf(form, r.source.Source, winperf.ErrNotSupported)
	}
	r.doubles = is.Cooked
	return nil
}

// warn reports problems that may be gone when the recording begins.
func (r *recorder) warn(ctx context.Context, src winperf.Source) {
	warning := func(form string, args ...any) {
		r.app.Complain(fmt.Errorf("warning: "+form, args...))
	}
	if len(r.paths) > 0 {
		for i, reason := range input.Unmatched(ctx, src, r.paths) {
			if reason != "" {
				warning("%s: %s", r.paths[i], reason)
			}
		}
	}

	if dir := filepath.Dir(r.output.Output); !isDirectory(dir) {
		warning("%s is not a directory yet", dir)
	}
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// probe checks with a first sample which paths match, and which values are unreadable. Recording raw
// values does not show this.
func (r *recorder) probe(ctx context.Context, src winperf.Source) error {
	if !logs.IsRaw(r.format) {
		r.reads = true
		return nil
	}
	opt, err := r.sel.Options(r.source.Language)
	if err != nil {
		return err
	}

	opt.CostlyTogether = true // as they will be recorded
	c := measure.New(src, r.selection(), opt)
	defer c.Close()
	cycle, err := c.Cycle(ctx)
	switch {
	case errors.Is(err, io.EOF):
		return r.noSamples(ctx, src)
	case err != nil && len(r.paths) == 0:
		return nil // everything is recorded, even unreadable values
	case err != nil:
		return err
	}

	if len(r.paths) > 0 {
		r.tally.Count(cycle)
		r.reads = r.tally.Unmatched()
	} else {
		r.tally.Denied.Count(cycle)
		if r.live { // report the damage here, recording may not see it
			r.tally.CountDamage(cycle)
		}
	}
	r.tally.Cycles, r.tally.Damaged = 0, 0 // the sample is not recorded
	return nil
}

// waits reports whether no path has matched yet, so that nothing can be written. With the first sample it
// reports paths that match nothing.
func (r *recorder) waits(ctx context.Context, src winperf.Source) bool {
	if r.begun || len(r.paths) == 0 {
		return false
	}
	r.begun = !r.tally.Hopeless()
	if r.tally.Cycles > 1 {
		return !r.begun
	}

	input.ExplainFirst(ctx, r.app, src, &r.tally, r.paths, r.live && r.count != 1)
	return !r.begun
}
