package record

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
)

func (r *recorder) newFiles(is winperf.Description) (*logs.Files, error) {
	pattern := cmp.Or(r.output.Output, "winperf_{time}"+r.extension())
	several := r.limit.Action != logs.Stop
	names, err := logs.NewNames(pattern, suffixes[string(r.naming.suffix)], is.Machine, several)
	if err != nil {
		return nil, fmt.Errorf("-o %w", err)
	}

	files := &logs.Files{
		Names: names, Format: r.format, Append: r.naming.append, Limits: r.limit, Note: r.app.Complain,
		NewWriter: func(w io.Writer, name string, tail *logs.Tail) (logs.Writer, error) {
			opt := input.WriteOptions(is, r.zone, r.format, name, r.paths)
			opt.Tail, opt.Doubles = tail, r.doubles
			return logs.NewWriter(w, r.format, opt)
		},
	}
	files.Open = func(ctx context.Context, name string) (*os.File, bool, error) {
		t := r.target(name)
		if t.Mode == output.Overwrite && files.Written().Files == 0 {
			if err := names.Free(name, output.LookLocked); err != nil {
				return nil, false, err
			}
		}
		f, err := t.Open(ctx)
		if err != nil {
			return nil, false, err
		}
		file, err := f.Replace()
		return file, f.IsNew(), err
	}

	if name, fixed := names.Fixed(); fixed {
		_, err = r.target(name).Look() // check now, not after a long interval
	}
	return files, err
}

func (r *recorder) target(name string) output.Target {
	t := output.Target{
		Name: name, Reads: []string{r.source.Source}, Note: r.app.Complain,
		Instead: "--append continues it, --overwrite replaces it",
	}
	switch {
	case r.appends():
		t.Mode = output.Append
	case r.output.Overwrite:
		t.Mode = output.Overwrite
	}
	return t
}

// appends reports whether samples are appended to an existing file.
func (r *recorder) appends() bool { return r.naming.append && r.limit.Action != logs.Circular }

func (r *recorder) extension() string {
	for _, f := range r.output.Formats {
		if f.Name == r.format {
			return f.Extensions[0]
		}
	}
	return ""
}

// reportSmall reports, after the first file, that a limit leaves room for hardly more than one sample in a
// file.
func (r *recorder) reportSmall() {
	is, small := r.files.TooSmall()
	if !small || r.small {
		return
	}
	r.small = true

	const inFiles = "%s is too small for about eight files: one is full with %s; use at least %s"
	full := console.Plural(is.Samples, "sample")
	switch {
	case is.Part.Samples > 0:
		limit := fmt.Sprintf("--max-samples %d", r.limit.Samples)
		r.app.Complain(fmt.Errorf(inFiles, limit, full, strconv.Itoa(is.Enough.Samples)))
		return
	case is.Part.Time > 0:
		limit := input.Interval(r.limit.Time)
		enough := input.Interval((is.Enough.Time + time.Second).Truncate(time.Second))
		r.app.Complain(fmt.Errorf(inFiles, "--max-time "+limit.String(), full, enough.String()))
		return
	}

	what := "--max-size " + output.FormatSize(r.limit.Size)
	if r.limit.Action == logs.Circular {
		what += fmt.Sprintf(", %s for each of about %d files,",
			output.FormatSize(is.Part.Size), r.limit.Size/is.Part.Size)
	}
	r.app.Complain(fmt.Errorf("%s is too small: a file is full with %s, %s; use at least %s",
		what, full, output.FormatSize(is.Length), output.FormatSize(is.Enough.Size)))
}
