package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// logInput is a log that is read: its samples come one after the other, to be
// merged with those of others.
type logInput struct {
	name   string
	src    *sieve
	info   winperf.LogInfo
	cooked bool // it holds displayable values

	next  func() (*measure.Cycle, error, bool)
	stop  func()
	cycle *measure.Cycle // the next one to be taken; nil at the end
}

func (a *app) openInput(ctx context.Context, name string, opt source.LogOptions) (*logInput, error) {
	src, err := a.openRecorded(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	is := src.Describe()
	if name == "-" {
		name = standardInput
	}
	return &logInput{name: name, src: &sieve{Source: src}, info: is.Log, cooked: is.Cooked}, nil
}

// openSource opens a source by its URL; - is a log on standard input.
func (a *app) openSource(ctx context.Context, url string, opt source.LogOptions) (winperf.Source, error) {
	if url == "-" {
		return a.readLog(ctx, opt)
	}
	return source.OpenWith(ctx, url, opt)
}

// standardInput is what a log on standard input is called.
const standardInput = "standard input"

// readLog opens a log on standard input.
func (a *app) readLog(ctx context.Context, opt source.LogOptions) (winperf.Source, error) {
	a.await("a log")
	return source.ReadLog(ctx, standardInput, a.stdin, opt)
}

// openRecorded opens a log by its name, - for standard input, or another source of
// recorded samples by its URL.
func (a *app) openRecorded(ctx context.Context, name string, opt source.LogOptions) (winperf.Source, error) {
	if name == "-" {
		return a.readLog(ctx, opt)
	}
	if !isURL(name) {
		return source.OpenLog(ctx, name, opt)
	}
	src, err := source.OpenWith(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	if !src.Describe().Recorded {
		return nil, errors.Join(fmt.Errorf("%s is no log: %w", name, winperf.ErrNotSupported), src.Close())
	}
	return src, nil
}

// isURL tells whether a name begins with a scheme that package source knows.
func isURL(name string) bool {
	scheme, _, found := strings.Cut(name, ":")
	for _, s := range source.Schemes() {
		if found && strings.EqualFold(s.Name, scheme) {
			return true
		}
	}
	return false
}

// begin makes the first sample the next one to be taken.
func (in *logInput) begin(ctx context.Context, sel winperf.Selection, opt measure.Options) error {
	in.end()
	in.next, in.stop = iter.Pull2(measure.Watch(ctx, in.src, sel, opt))
	return in.advance()
}

// advance goes on to the next sample. Damage behind the last one is an error
// that wraps winperf.ErrBadData.
func (in *logInput) advance() error {
	cycle, err, more := in.next()
	in.cycle = cycle
	if !more || err != nil {
		in.cycle = nil
	}
	return err
}

// walk hands out all samples, and what is damaged. What nothing can be read behind is
// damage too, and ends the walk.
func (in *logInput) walk(
	ctx context.Context, sel winperf.Selection, opt measure.Options, each func(*measure.Cycle), damaged func([]error),
) error {
	for cycle, err := range measure.Watch(ctx, in.src, sel, opt) {
		if errors.Is(err, winperf.ErrBadData) {
			damaged([]error{err})
			break
		}
		if err != nil {
			return in.blame(err)
		}
		each(cycle)
		damaged(cycle.Damage)
	}
	return ctx.Err()
}

// end stops reading.
func (in *logInput) end() {
	if in.stop != nil {
		in.stop()
	}
	in.stop, in.cycle = nil, nil
}

func (in *logInput) close() error {
	in.end()
	return in.src.Close()
}

// blame names the log in an error.
func (in *logInput) blame(err error) error {
	if strings.HasPrefix(err.Error(), in.name) {
		return err
	}
	return fmt.Errorf("%s: %w", in.name, err)
}
