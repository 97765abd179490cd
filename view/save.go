package view

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

// Named is the id of a source, and a name for other people: without directories and parameters.
type Named struct{ ID, Name string }

// Names returns the names of all sources.
func (v *View) Names() []Named {
	sources := v.all()
	all := make([]Named, len(sources))
	for i, s := range sources {
		all[i] = Named{s.id, bareName(s.name)}
		if s.live != nil {
			all[i].Name = "live"
			if machine := s.src.Describe().Machine; machine != "" {
				all[i].Name = machine
			}
		}
	}
	return all
}

func bareName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if strings.Trim(name, "./") == "" {
		return "log"
	}
	return name
}

// Save writes the samples of the requested range as a log, with all objects, whatever the paths: a capture,
// or for displayable values csv or JSON lines. A capture begins with the sample before the range, so that
// the first sample of the range has rates. Save writes nothing if the range has no sample. It calls damaged,
// unless nil, with the damage that it skips.
func (v *View) Save(ctx context.Context, r Request, w io.Writer, damaged func([]error)) error {
	q, err := v.query(r, false)
	if err != nil {
		return err
	}
	if q.live != nil {
		if err := q.live.to.wait(ctx, time.Time{}); err != nil {
			return err
		}
	}

	sel := q.from(winperf.Selection{Global: true, Costly: true}, q.begin)
	if damaged == nil {
		damaged = func([]error) {}
	}
	save := q.saveRaw
	if q.src.Describe().Cooked {
		save = q.saveValues
	}
	return removed(cmp.Or(save(ctx, sel, w, damaged), ctx.Err()))
}

// place returns -1 for a time before the range, 0 within it, and 1 after it.
func (q *query) place(t time.Time) int {
	switch at := t.UnixMilli(); {
	case at < q.begin:
		return -1
	case at > q.end:
		return 1
	}
	return 0
}

func (q *query) saveRaw(
	ctx context.Context, sel winperf.Selection, w io.Writer, damaged func([]error),
) error {
	from, err := q.src.Compile(ctx, sel)
	if err != nil {
		return err
	}
	defer from.Close()

	is := q.src.Describe()
	to := capture.NewWriter(w, capture.Options{Location: is.Log.Location, System: is.Log.System})
	sample, before := &winperf.Sample{}, &winperf.Sample{}
	for {
		err := from.Next(ctx, sample)
		damaged(sample.Damage)
		end := errors.Is(err, io.EOF)
		if errors.Is(err, winperf.ErrBadData) { // after the last sample
			damaged([]error{err})
			end = true
		}

		where := q.place(capture.Time(sample))
		switch {
		case err != nil && !end:
			return err
		case end || where > 0:
			if to.Samples() == 0 {
				return nil
			}
			return to.Close()
		case where < 0:
			sample, before = before, sample
			continue
		}

		if len(before.Parts) > 0 {
			err = to.Write(before)
			before = &winperf.Sample{}
		}
		if err = errors.Join(err, to.Write(sample)); err != nil {
			return err
		}
	}
}

func (q *query) saveValues(
	ctx context.Context, sel winperf.Selection, w io.Writer, damaged func([]error),
) error {
	is := q.src.Describe()
	opt := sink.Options{File: true, Location: time.UTC, Zone: is.Log.Zone, NoZone: is.Log.NoZone}
	if is.Log.Location != nil {
		opt.Location = is.Log.Location
	}
	format := "jsonl"
	if strings.HasPrefix(is.Log.Format, "PDH-") { // a text log, which lists its columns in its head
		format = "csv"
		var err error
		if opt.Columns, err = q.columns(ctx); err != nil {
			return err
		}
	}
	to, err := sink.New(format, w, opt)
	if err != nil {
		return err
	}

	how := measure.Options{KeepFirst: true, Language: q.view.opt.Language}
	written := false
	for cycle, err := range measure.Watch(ctx, q.src, sel, how) {
		if errors.Is(err, winperf.ErrBadData) { // after the last sample
			damaged([]error{err})
			break
		}
		if err != nil {
			return err
		}
		damaged(cycle.Damage)

		where := q.place(cycle.Time)
		if where > 0 {
			break
		}
		if where < 0 {
			continue
		}
		written = true
		if err := to.Write(cycle.Time, cycle.Columns()); err != nil {
			return err
		}
	}
	if !written {
		return nil
	}
	return to.Close()
}

// columns returns the paths of a text log, or of the text logs of a directory.
func (q *query) columns(ctx context.Context) (paths []string, err error) {
	from, err := q.src.Compile(ctx, winperf.Selection{Global: true, Metadata: true})
	if err != nil {
		return nil, err
	}
	defer from.Close()

	known := map[string]bool{}
	var sample winperf.Sample
	for {
		err := from.Next(ctx, &sample)
		if errors.Is(err, io.EOF) {
			return paths, nil
		}
		if err != nil {
			return nil, err
		}

		for _, part := range sample.Parts {
			for _, series := range part.Block.Series {
				if text := series.String(); !known[text] {
					known[text] = true
					paths = append(paths, text)
				}
			}
		}
	}
}
