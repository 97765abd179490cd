package cli

import (
	"context"
	"slices"
	"time"

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
		sel := c.selection
		if in.cooked { // its heads tell
			src, sel.Metadata, sel.Begin, sel.End = in.src.Source, true, time.Time{}, time.Time{}
		}
		found.last = found.last[:0]
		for cycle, err := range measure.Watch(ctx, src, sel, c.options) {
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
