package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
)

// Run verifies this machine. The error wraps winperf.ErrNotSupported on systems other than Windows and
// Linux.
func Run(ctx context.Context, opt Options) (r *Report, err error) {
	r = &Report{}
	var readers []reader
	var opened []*driver
	defer func() {
		for _, d := range opened {
			err = errors.Join(err, d.close())
		}
	}()

	urls := opt.Sources
	if urls == nil {
		urls = drivers[runtime.GOOS]
	}
	if len(urls) == 0 {
		return nil, fmt.Errorf("verify on %s: %w", runtime.GOOS, winperf.ErrNotSupported)
	}
	installation, err := r.newInstallation(opt.Install)
	if err == nil {
		installation.removeRest(ctx)
	}
	if err == nil && opt.Install.Wanted {
		err = installation.ready()
	}
	if err != nil && opt.Install.Wanted {
		return nil, err
	}

	end := time.Now().Add(opt.For)
	limited, cancel := context.WithDeadline(ctx, end.Add(lookRest))
	defer cancel()
	for _, url := range urls {
		src, err := source.Open(limited, url)
		if err != nil {
			r.skip(url, err)
			continue
		}
		d := newDriver(url, src)
		opened, readers = append(opened, d), append(readers, d.reader())
	}
	if len(opened) == 0 {
		return r, nil
	}

	if runtime.GOOS == "linux" {
		for _, t := range tools {
			reader, err := t.reader()
			if err != nil {
				r.skip(t.label, err)
				continue
			}
			readers = append(readers, reader)
		}
	}
	if runtime.GOOS == "windows" {
		t, err := typeperf(opened[0], systemProgram("typeperf"))
		if err != nil {
			r.skip("typeperf", err)
		} else {
			readers = append(readers, t)
		}
	}
	r.compareAll(limited, opened[0], readers, end, opt)
	r.checkAll(ctx, opened, opt)
	for _, d := range opened {
		if object := opened[0].small(); opt.Long && object != "" {
			r.long(ctx, d, object, opt)
		}
	}
	if opt.Install.Wanted && ctx.Err() == nil {
		installation.run(ctx)
	}
	if ctx.Err() != nil {
		r.skip("the rest", errors.New("interrupted"))
	}
	return r, nil
}

// A look is interrupted lookRest after the time for comparisons. checkLimit limits the time for all checks
// that every verification makes.
const (
	lookRest   = 5 * time.Second
	checkLimit = 20 * time.Second
)

// compareAll makes all comparisons.
func (r *Report) compareAll(ctx context.Context, base *driver, readers []reader, end time.Time, opt Options) {
	r.compare(ctx, readers, end, opt)
	if runtime.GOOS == "linux" {
		r.compareMeters(ctx, base, end, opt)
	}
	r.Results = r.comparison.Results()
}

// checkAll makes these checks.
func (r *Report) checkAll(ctx context.Context, opened []*driver, opt Options) {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	if runtime.GOOS == "windows" && opened[0].global != nil {
		r.checkLogs(ctx, opened[0], systemProgram("relog"), systemProgram("typeperf"))
	}
	for _, d := range opened {
		r.checkDriver(ctx, d, opt)
	}
}

// drivers are the sources of each system, the base first.
var drivers = map[string][]string{
	"windows": {"registry:", "perflib:", "pdh:", "pdh:?formatted=1"},
	"linux":   {"local:"},
}
