package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

// programObjects are the objects that relog and typeperf are tried with. Each start takes more than a second.
var programObjects = []uint32{
	titles.System, titles.Memory, titles.Processor, titles.LogicalDisk, titles.Process,
}

// path returns the path of all counters of an object, as typeperf needs it.
func (d *driver) path(object string) (string, bool) {
	if d.global == nil {
		return "", false
	}
	for name, c := range d.global.Counters {
		if name.Object == object && len(c.Names) > 0 {
			p := wholeObject(object)
			if c.Names[0] == "" {
				p.Instance, p.HasInstance = "", false
			}
			return p.String(), true
		}
	}
	return "", false
}

// typeperf returns typeperf as a reader of the objects of a base. Its rates are over times that it chooses:
// only its other values are compared.
func typeperf(base *driver, program string) (reader, error) {
	if _, err := os.Stat(program); err != nil {
		return reader{}, errors.New("typeperf is not installed")
	}

	return reader{
		name: "typeperf",
		objects: func(context.Context) (names []string, err error) {
			for _, title := range programObjects {
				names = append(names, base.names.Title(title))
			}
			return names, nil
		},
		look: func(ctx context.Context, object string) (l *Look, err error) {
			path, found := base.path(object)
			if !found {
				return nil, winperf.ErrNoObject
			}

			err = inDirectory(func(dir string) error {
				file := filepath.Join(dir, "typeperf.csv")
				if _, err := output(ctx, program, path, "-sc", "1", "-f", "CSV", "-o", file, "-y"); err != nil {
					return err
				}
				l, err = lookAtLog(ctx, "typeperf", object, file)
				return err
			})
			return l, err
		},
	}, nil
}

// inDirectory calls use with a temporary directory.
func inDirectory(use func(dir string) error) error {
	dir, err := os.MkdirTemp("", "winperf-verify-")
	if err != nil {
		return err
	}
	return errors.Join(use(dir), os.RemoveAll(dir))
}

// lookAtLog returns the last displayed values of a log.
func lookAtLog(ctx context.Context, reader, object, file string) (*Look, error) {
	src, err := source.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	q, err := src.Compile(ctx, winperf.Selection{Global: true, Costly: true})
	if err != nil {
		return nil, err
	}
	defer q.Close()

	l := &Look{Reader: reader, Object: object}
	for {
		s := &winperf.Sample{}
		err := q.Next(ctx, s)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var pool frame.Pool
		f, err := pool.Decode(s, frame.Frame{})
		if err != nil {
			return nil, err
		}
		l.Time, l.Counters = f.Time(), map[Name]*Counter{}
		l.fill(f, nil)
	}

	for _, c := range l.Counters {
		c.Timeless, c.Tolerance = true, csvDigit
	}
	return l, nil
}

// csvDigit is the last digit of values in a text log.
const csvDigit = 1e-6

// checkLogs checks that relog opens binary logs written here and shows the same values as winperf, and that
// winperf opens a binary log of typeperf, which cannot read logs.
func (r *Report) checkLogs(ctx context.Context, base *driver, relog, typeperf string) {
	var paths []string
	for _, title := range programObjects {
		if path, found := base.path(base.names.Title(title)); found {
			paths = append(paths, path)
		}
	}
	try := func(name, program string, check func(dir string) (detail string, err error)) {
		if _, err := os.Stat(program); err != nil {
			r.skip(name, errors.New(strings.TrimSuffix(filepath.Base(program), ".exe")+" is not installed"))
			return
		}
		var detail string
		err := inDirectory(func(dir string) (err error) { detail, err = check(dir); return err })
		if ctx.Err() != nil {
			r.skip(name, errNoTime)
			return
		}
		r.check(name, detail, err)
	}

	for layout, name := range []string{pdhlog.Counters: "counters", pdhlog.Objects: "objects"} {
		try("a .blg of "+name+" in relog", relog, func(dir string) (string, error) {
			blg, csv := filepath.Join(dir, "own.blg"), filepath.Join(dir, "relog.csv")
			if err := writeBLG(ctx, base.src, blg, paths, pdhlog.Layout(layout)); err != nil {
				return "", err
			}
			if text, err := output(ctx, relog, blg, "-f", "CSV", "-o", csv, "-y"); err != nil {
				return "", fmt.Errorf("relog: %w: %s", err, strings.TrimSpace(text))
			}
			return sameLogs(ctx, blg, csv)
		})
	}
	try("a .blg of typeperf in winperf", typeperf, func(dir string) (string, error) {
		blg := filepath.Join(dir, "typeperf.blg")
		args := append([]string{"-sc", "2", "-si", "1", "-f", "BIN", "-o", blg, "-y"}, paths...)
		if text, err := output(ctx, typeperf, args...); err != nil {
			return "", fmt.Errorf("typeperf: %w: %s", err, strings.TrimSpace(text))
		}
		readings, err := lastReadings(ctx, blg)
		return fmt.Sprintf("%d values", len(readings)), err
	})
}

// logSamples is the number of samples in a written log.
const logSamples = 3

// writeBLG writes a binary log of a source.
func writeBLG(
	ctx context.Context, src winperf.Source, file string, paths []string, layout pdhlog.Layout,
) error {
	sel, err := winperf.Select(paths...)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w, err := pdhlog.NewWriter(f, pdhlog.Options{Layout: layout, Paths: sel.Paths, Name: filepath.Base(file)})
	if err != nil {
		return errors.Join(err, f.Close())
	}

	opt := measure.Options{Count: logSamples, FramesOnly: true, KeepFirst: true, Interval: time.Second}
	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
		if err == nil {
			err = w.Write(cycle.Frame, cycle.Names)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(w.Close(), f.Close())
}

// lastReadings returns the last readings of a log by path, without the machine.
func lastReadings(ctx context.Context, file string) (map[string]float64, error) {
	src, err := source.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer src.Close()

	all := winperf.Selection{Global: true, Costly: true}
	values := map[string]float64{}
	opt := measure.Options{Cook: counter.Options{NeedPrevious: true, Cap100: true}, KeepFirst: true}
	for cycle, err := range measure.Watch(ctx, src, all, opt) {
		if err != nil {
			return nil, err
		}
		clear(values)
		for _, reading := range cycle.Readings() {
			if v, ok := reading.Value.Float64(); ok && reading.Status == counter.OK {
				p := reading.Path
				p.Machine = ""
				values[strings.ToLower(p.String())] = v
			}
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s: %w: no values", filepath.Base(file), winperf.ErrBadData)
	}
	return values, nil
}

// sameLogs compares the last values of a log with the last values of another program's copy.
func sameLogs(ctx context.Context, own, other string) (detail string, err error) {
	want, errWant := lastReadings(ctx, own)
	got, errGot := lastReadings(ctx, other)
	if err := errors.Join(errWant, errGot); err != nil {
		return "", err
	}

	compared, differ, first := 0, 0, ""
	for path, v := range got {
		w, found := want[path]
		if !found {
			continue
		}
		compared++
		if math.Abs(v-w) > csvDigit+rounding*math.Abs(w) {
			differ++
			first = fmt.Sprintf("%s is %v, winperf computes %v", path, v, w)
		}
	}
	switch {
	case compared == 0:
		return "", fmt.Errorf("none of %d paths is among the %d of winperf", len(got), len(want))
	case differ > 0:
		return "", fmt.Errorf("%d of %d values differ: %s", differ, compared, first)
	}
	return fmt.Sprintf("%d of %d values are the same", compared, len(want)), nil
}
