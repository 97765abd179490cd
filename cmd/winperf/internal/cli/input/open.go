package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/source"
)

// OpenSource opens a source by its URL; - is a log on standard input.
func OpenSource(ctx context.Context, a *console.App, url string, opt source.Options) (winperf.Source, error) {
	if url == "-" {
		return ReadLog(ctx, a, opt)
	}
	src, err := source.OpenWith(ctx, url, opt)
	if errors.Is(err, winperf.ErrNotSupported) && isMissingFile(url) {
		return nil, fmt.Errorf("%s: no such file; winperf help sources lists the values of --source", url)
	}
	return src, err
}

// isMissingFile reports whether a source's URL looks like the name of a file that does not exist.
func isMissingFile(url string) bool {
	_, err := os.Stat(url)
	return !strings.Contains(url, ":") && errors.Is(err, fs.ErrNotExist)
}

// StandardInput is the name of a log on standard input.
const StandardInput = "standard input"

// ReadLog opens a log on standard input.
func ReadLog(ctx context.Context, a *console.App, opt source.Options) (winperf.Source, error) {
	r, err := a.Input("a log")
	if err != nil {
		return nil, err
	}
	return source.ReadLog(ctx, StandardInput, r, opt)
}

// openLog opens a log by name, - for standard input, or by the URL of a source of recorded samples.
func openLog(ctx context.Context, a *console.App, name string, opt source.Options) (*logs.Log, error) {
	var src winperf.Source
	var err error
	switch {
	case name == "-":
		name = StandardInput
		src, err = ReadLog(ctx, a, opt)
	case IsURL(name):
		src, err = source.OpenWith(ctx, name, opt)
	default:
		src, err = source.OpenLog(ctx, name, opt)
	}
	if err != nil {
		return nil, err
	}

	if !src.Describe().Recorded {
		return nil, errors.Join(fmt.Errorf("%s is not a log", name), src.Close())
	}
	return &logs.Log{Name: name, Source: src}, nil
}

// OpenLogs opens logs and sets the requested range in a selection. The first log determines the time zone.
// All are opened before one is read, so that a missing log is reported at once.
func OpenLogs(
	ctx context.Context, a *console.App, names []string,
	how *LogFlags, within *RangeFlags, sel *winperf.Selection,
) (all []*logs.Log, zone output.ShownZone, err error) {
	opt, err := how.Options()
	if err != nil {
		return nil, zone, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, CloseLogs(all))
			all = nil
		}
	}()

	var sources []winperf.Source
	for _, name := range names {
		log, err := openLog(ctx, a, name, opt)
		if errors.Is(err, fs.ErrNotExist) && len(names) > 1 && !strings.ContainsAny(name, `./\:`) {
			const form = `%s: no such file (a counter path begins with a backslash: '\%[1]s(*)\*')`
			return all, zone, fmt.Errorf(form, name)
		}
		if err != nil {
			return all, zone, err
		}
		all = append(all, log)
		sources = append(sources, log.Source)
	}
	zone = how.ShownZone(sources[0].Describe(), opt)
	return all, zone, within.Choose(ctx, sel, zone, sources...)
}

// SelectionOf returns the selection of paths in logs; no paths select everything.
func SelectionOf(paths []winperf.Path) (winperf.Selection, Tally) {
	if len(paths) == 0 {
		return winperf.Selection{Global: true, Costly: true}, NewTally(2)
	}
	return winperf.Selection{Paths: paths}, NewTally(len(paths))
}

// CloseLogs closes logs and returns their joined errors.
func CloseLogs(all []*logs.Log) error {
	var errs []error
	for _, log := range all {
		errs = append(errs, log.Source.Close())
	}
	return errors.Join(errs...)
}

// SourcesOf returns the sources of logs.
func SourcesOf(all []*logs.Log) []winperf.Source {
	sources := make([]winperf.Source, len(all))
	for i, log := range all {
		sources[i] = log.Source
	}
	return sources
}

// IsURL reports whether name begins with a scheme of package source.
func IsURL(name string) bool {
	scheme, _, found := strings.Cut(name, ":")
	for _, s := range source.Schemes() {
		if found && strings.EqualFold(s.Name, scheme) {
			return true
		}
	}
	return false
}

// WriteOptions returns the options for a log written from a source; file is "" for standard output.
func WriteOptions(
	is winperf.Description, zone output.ShownZone, format, file string, paths []winperf.Path,
) logs.Options {
	opt := logs.Options{
		Paths: paths, Name: file, System: console.WrittenBy(is.Log), Location: zone.Location,
		Sink: zone.SinkOptions(file != ""),
	}
	if format == logs.Capture && is.Recorded {
		opt.Location = is.Log.Location // which may be unknown
	}
	return opt
}
