package logs

import (
	"context"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/textset"
	"github.com/winperf/winperf/measure"
)

// Columns returns the paths of all series in logs, for formats that need them at the beginning. A
// log without a list of series is read to its end or an error, and each is called with every
// moment.
func Columns(
	ctx context.Context, logs []*Log, sel winperf.Selection, opt measure.Options, each func(*Moment),
) ([]string, error) {
	found := columns{names: []string{}}
	for _, log := range logs {
		if found.list(ctx, log, sel, opt, each) {
			continue
		}

		found.last, found.instances = found.last[:0], found.instances[:0]
		for m, err := range Read(ctx, []*Log{log}, sel, opt) {
			if err != nil {
				break // the second reading reports it
			}
			each(m)
			found.add(m)
		}
	}
	return found.names, ctx.Err()
}

// Listed is Columns for the logs that list their series, such as text logs in their headers. It
// returns nil if no log does.
func Listed(
	ctx context.Context, logs []*Log, sel winperf.Selection, opt measure.Options, each func(*Moment),
) ([]string, error) {
	var found columns
	for _, log := range logs {
		found.list(ctx, log, sel, opt, each)
	}
	return found.names, ctx.Err()
}

// columns are the paths found. The writer removes duplicates of several logs.
type columns struct {
	names  []string
	texts  textset.Set        // of the paths found by add
	text   []byte             // of one value
	series winperf.Series     // of one value
	last   []winperf.SeriesID // by position: the last named series

	instances []string // by position: the instance name of that series
}

// list adds the columns of a log that lists its series without values in one sample, and reports
// whether it does. Times of the selection are ignored.
func (c *columns) list(
	ctx context.Context, log *Log, sel winperf.Selection, opt measure.Options, each func(*Moment),
) (listed bool) {
	sel.Metadata, sel.Begin, sel.End = true, time.Time{}, time.Time{}
	for m, err := range Read(ctx, []*Log{log}, sel, opt) {
		if err != nil || !c.addAll(m) {
			break // the reading of all samples reports the error
		}
		listed = true
		each(m)
	}
	return listed
}

// addAll adds the columns of a listing sample, and reports whether there are any. It shares the texts
// of the log's series, which may be many.
func (c *columns) addAll(m *Moment) bool {
	before := len(c.names)
	c.names = slices.Grow(c.names, m.Len())
	for _, of := range m.Columns() {
		for n, s := range of.AllSeries() {
			if !of.Status[n].NamesNothing() {
				c.names = append(c.names, s.String())
			}
		}
	}
	return len(c.names) > before
}

func (c *columns) add(m *Moment) {
	if more := m.Len() - len(c.last); more > 0 { // growing in steps would leave much garbage
		c.names = slices.Grow(c.names, max(0, m.Len()-len(c.names)))
		c.last = append(c.last, make([]winperf.SeriesID, more)...)
		c.instances = append(c.instances, make([]string, more)...)
	}

	at := 0
	for _, of := range m.Columns() {
		for n := range of.Len() {
			if !of.Status[n].NamesNothing() {
				of.Describe(&c.series, n)
				c.addSeries(at)
			}
			at++
		}
	}
}

func (c *columns) addSeries(at int) {
	s := &c.series
	if c.last[at] == s.ID && s.ID.Counter != nil && c.instances[at] == s.Path.Instance {
		return
	}

	c.last[at], c.instances[at] = s.ID, s.Path.Instance
	c.text, _ = s.Path.AppendText(c.text[:0])
	if _, added := c.texts.Add(c.text); added {
		c.names = append(c.names, string(c.text))
	}
}
