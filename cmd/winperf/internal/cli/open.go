package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/source"
)

// openSource opens a source by its URL; - is a log on standard input.
func (a *app) openSource(ctx context.Context, url string, opt source.Options) (winperf.Source, error) {
	if url == "-" {
		return a.readLog(ctx, opt)
	}
	return source.OpenWith(ctx, url, opt)
}

// standardInput is what a log on standard input is called.
const standardInput = "standard input"

// readLog opens a log on standard input.
func (a *app) readLog(ctx context.Context, opt source.Options) (winperf.Source, error) {
	r, err := a.input("a log")
	if err != nil {
		return nil, err
	}
	return source.ReadLog(ctx, standardInput, r, opt)
}

// openLog opens a log by its name, - for standard input, or another source of
// recorded samples by its URL.
func (a *app) openLog(ctx context.Context, name string, opt source.Options) (*logs.Log, error) {
	var src winperf.Source
	var err error
	switch {
	case name == "-":
		name = standardInput
		src, err = a.readLog(ctx, opt)
	case isURL(name):
		src, err = source.OpenWith(ctx, name, opt)
	default:
		src, err = source.OpenLog(ctx, name, opt)
	}
	if err != nil {
		return nil, err
	}

	if !src.Describe().Recorded {
		return nil, errors.Join(fmt.Errorf("%s is no log: %w", name, winperf.ErrNotSupported), src.Close())
	}
	return &logs.Log{Name: name, Source: src}, nil
}

// openLogs opens logs, of which the first tells the zone that times are in, and puts the range
// that is wanted of them into a selection. All are opened before one is read, so that one that
// is not there is told at once.
func (a *app) openLogs(
	ctx context.Context, names []string, how *logFlags, within *rangeFlags, sel *winperf.Selection,
) (all []*logs.Log, zone shownZone, err error) {
	opt, err := how.options()
	if err != nil {
		return nil, zone, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeLogs(all))
		}
	}()

	var sources []winperf.Source
	for _, name := range names {
		log, err := a.openLog(ctx, name, opt)
		if err != nil {
			return all, zone, err
		}
		all = append(all, log)
		sources = append(sources, log.Source)
	}
	zone = how.shownZone(sources[0].Describe(), opt)
	return all, zone, within.choose(ctx, sel, zone, sources...)
}

// wanted is what paths select of logs; none of them selects all that there is.
func wanted(paths []winperf.Path) (winperf.Selection, tally) {
	if len(paths) == 0 {
		return winperf.Selection{Global: true, Costly: true}, newTally(2)
	}
	return winperf.Selection{Paths: paths}, newTally(len(paths))
}

func closeLogs(all []*logs.Log) error {
	var errs []error
	for _, log := range all {
		errs = append(errs, log.Source.Close())
	}
	return errors.Join(errs...)
}

// sourcesOf returns the sources of logs.
func sourcesOf(all []*logs.Log) []winperf.Source {
	sources := make([]winperf.Source, len(all))
	for i, log := range all {
		sources[i] = log.Source
	}
	return sources
}

// isURL reports whether a name begins with a scheme that package source knows.
func isURL(name string) bool {
	scheme, _, found := strings.Cut(name, ":")
	for _, s := range source.Schemes() {
		if found && strings.EqualFold(s.Name, scheme) {
			return true
		}
	}
	return false
}

// writeOptions are those of a log that a source is written to, in a format and a file, which is
// "" for standard output.
func writeOptions(
	is winperf.Description, zone shownZone, format, file string, paths []winperf.Path,
) logs.Options {
	opt := logs.Options{
		Paths: paths, Name: file, System: writtenBy(is.Log), Location: zone.Location,
		Sink: zone.sinkOptions(file != ""), Cooked: is.Cooked,
	}
	if format == logs.Capture && is.Recorded {
		opt.Location = is.Log.Location // which nobody may have told
	}
	return opt
}
