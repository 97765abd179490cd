package cli

import (
	"context"
	"io"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/textset"
	"github.com/winperf/winperf/measure"
)

// columns finds the columns of formats that have them at their beginning: the
// series that the logs hold anywhere. Where the columns of a log do not tell
// them, that takes a walk over all of it.
func (c *converter) columns(ctx context.Context, format string) ([]winperf.Path, error) {
	if format != "csv" && format != "tsv" {
		return nil, nil
	}
	found := foundColumns{columns: []winperf.Path{}}
	samples := 0
	for _, in := range c.inputs {
		var src winperf.Source = in.src
		if in.cooked {
			src = headSource{in.src.Source}
		}
		found.last = found.last[:0]
		for cycle, err := range measure.Watch(ctx, src, c.selection, c.options) {
			if err != nil {
				break // the second walk tells of it
			}
			samples++
			c.progress.show(c.inputs, samples)
			found.add(cycle)
		}
	}
	return found.columns, ctx.Err()
}

// foundColumns are the paths that were found in samples.
type foundColumns struct {
	columns []winperf.Path
	texts   textset.Set        // of the columns
	text    []byte             // of one reading
	last    []winperf.SeriesID // by position: which series was there last that is known
}

// add adds what is new in a sample.
func (f *foundColumns) add(readings winperf.Readings) {
	if more := readings.Len() - len(f.columns); more > 0 { // what grows leaves several times its size behind
		f.columns, f.last = slices.Grow(f.columns, more), slices.Grow(f.last, more)
	}
	for i := range readings.Len() {
		r := readings.At(i)
		if i == len(f.last) {
			f.last = append(f.last, winperf.SeriesID{})
		}
		if f.last[i] == r.ID && r.ID.Counter != nil || namesNothing(r.Status) {
			continue
		}

		f.last[i] = r.ID
		f.text, _ = r.Path.AppendText(f.text[:0])
		if _, added := f.texts.Add(f.text); added {
			f.columns = append(f.columns, r.Path)
		}
	}
}

// namesNothing tells that there is nothing by the name that was asked for.
func namesNothing(s counter.Status) bool { return absent(s) || s == counter.NoInstance }

// headSource is the head of a log that holds displayable values, as one sample
// without values.
type headSource struct{ winperf.Source }

// Recorded implements winperf.Recorded.
func (headSource) Recorded() int { return 1 }

// Compile implements winperf.Source.
func (s headSource) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := s.Source.Compile(ctx, sel)
	if err != nil {
		return nil, err
	}
	return &headQuery{Query: q}, nil
}

type headQuery struct {
	winperf.Query
	done bool
}

// Readings implements winperf.CookedQuery.
func (q *headQuery) Readings(ctx context.Context, buf []winperf.Reading) ([]winperf.Reading, error) {
	log, ok := q.Query.(winperf.SeriesQuery)
	if q.done || !ok {
		return buf, io.EOF
	}
	q.done = true
	series, err := log.Series(ctx)
	for _, s := range series {
		buf = append(buf, winperf.Reading{Series: s, Status: counter.InvalidData})
	}
	return buf, err
}
