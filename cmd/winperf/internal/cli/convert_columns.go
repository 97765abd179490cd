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
func (c *converter) columns(ctx context.Context, format string) ([]string, error) {
	if format != "csv" && format != "tsv" {
		return nil, nil
	}
	found := foundColumns{names: []string{}}
	samples := 0
	for _, in := range c.inputs {
		var src winperf.Source = in.src
		sel, add := c.selection, found.add
		if in.cooked { // its heads tell, in one sample
			src, sel.Metadata, sel.Begin, sel.End = in.src.Source, true, time.Time{}, time.Time{}
			add = found.addAll
		}

		found.last = found.last[:0]
		for cycle, err := range measure.Watch(ctx, src, sel, c.options) {
			if err != nil {
				break // the second walk tells of it
			}
			samples++
			c.progress.show(c.inputs, samples)
			add(cycle)
		}
	}
	return found.names, ctx.Err()
}

// foundColumns are the paths that were found in samples. Whoever writes them finds
// those that are there twice, as several logs may have the same.
type foundColumns struct {
	names []string
	texts textset.Set        // of those that add found
	text  []byte             // of one reading
	last  []winperf.SeriesID // by position: which series was there last that is known
}

// addAll adds the columns of a log that says what it has. Their names are those of
// the log's own series, of which there may be very many.
func (f *foundColumns) addAll(readings winperf.Readings) {
	f.names = slices.Grow(f.names, readings.Len())
	for i := range readings.Len() {
		if r := readings.At(i); !namesNothing(r.Status) {
			f.names = append(f.names, r.String())
		}
	}
}

// add adds what is new in a sample.
func (f *foundColumns) add(readings winperf.Readings) {
	if more := readings.Len() - len(f.names); more > 0 { // what grows leaves several times its size behind
		f.names, f.last = slices.Grow(f.names, more), slices.Grow(f.last, more)
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
			f.names = append(f.names, string(f.text))
		}
	}
}

// namesNothing tells that there is nothing by the name that was asked for.
func namesNothing(s counter.Status) bool { return absent(s) || s == counter.NoInstance }
