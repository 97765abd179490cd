package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
)

// Run verifies this machine. The error wraps winperf.ErrNotSupported on systems other than Windows and
// Linux.
func Run(ctx context.Context, opt Options) (r *Report, err error) {
	r = &Report{}
	var readers []reader
	var drivers []*driver
	defer func() {
		for _, d := range drivers {
			err = errors.Join(err, d.close())
		}
	}()

	for _, url := range urls() {
		src, err := source.Open(ctx, url)
		if err != nil {
			r.skip(url, err)
			continue
		}
		d := newDriver(url, src)
		drivers, readers = append(drivers, d), append(readers, d.reader())
	}
	if len(drivers) == 0 {
		return nil, fmt.Errorf("verify on %s: %w", runtime.GOOS, winperf.ErrNotSupported)
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
	r.compare(ctx, readers, opt)
	for _, d := range drivers {
		r.checkDriver(ctx, d)
	}
	return r, ctx.Err()
}

// urls returns the sources of this system, the base first.
func urls() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"registry:", "perflib:", "pdh:", "pdh:?formatted=1"}
	case "linux":
		return []string{"local:"}
	}
	return nil
}
