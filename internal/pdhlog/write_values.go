package pdhlog

import (
	"fmt"
	"math"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// values makes samples of displayed values. Each path has an entry of type PERF_DOUBLE_RAW:
// the raw value is the double.
type values struct {
	list   []Counter
	places map[string]int // entries by path
	late   map[string]struct{}
	sample Sample
	path   []byte // of one value
	series winperf.Series
	buf    []byte
}

// WriteReadings writes a sample of a log of displayed values. Options.Columns or the
// columns of the first call determine the paths; Late counts others. A reading that is not
// ok, or not a number, is an invalid value. Times keep the UTC offset of the first sample,
// because nothing else distinguishes the hours that a clock change repeats. Errors are
// the same as in [Writer.Write].
func (w *Writer) WriteReadings(t time.Time, columns []winperf.Column) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return fmt.Errorf("%w: write to a closed log", winperf.ErrState)
	case !w.begun && len(w.opt.Columns) == 0 && len(columns) == 0:
		return nil
	}

	if !w.begun {
		w.settle(w.beginValues(t, columns))
	}
	if w.err == nil {
		w.settle(w.writeValues(t, columns))
	}
	return w.err
}

// beginValues writes the records before the samples.
func (w *Writer) beginValues(t time.Time, columns []winperf.Column) error {
	v, err := newValues(w.opt.Columns, columns)
	if err != nil {
		return err
	}

	w.begun, w.values, w.opt.Columns = true, v, nil
	if w.opt.Tail != nil {
		if err := v.arrange(w.opt.Tail); err != nil {
			return err
		}
		return w.out.resume(w.opt.Tail)
	}

	w.opt.Location = time.FixedZone(t.In(w.opt.Location).Zone())
	utc, local := w.moment(t)
	return w.beginLog(utc, local, v.list, usualFreq, func() error { return nil })
}

// usualFreq is the frequency of the performance counter since Windows 10. The head needs
// one, but displayed values do not depend on it.
const usualFreq = 10_000_000

func newValues(paths []string, columns []winperf.Column) (*values, error) {
	v := &values{places: map[string]int{}, late: map[string]struct{}{}}
	for _, text := range paths {
		path, err := winperf.ParsePath(text)
		if err != nil {
			return nil, err
		}
		v.add(text, path)
	}
	if len(paths) > 0 {
		return v, nil
	}
	for i := range columns {
		for n := range columns[i].Len() {
			columns[i].Describe(&v.series, n)
			v.add(v.series.Path.String(), v.series.Path)
		}
	}
	return v, nil
}

func (v *values) add(text string, path winperf.Path) {
	if _, known := v.places[text]; known {
		return
	}
	v.places[text] = len(v.list)
	v.list = append(v.list, Counter{
		Kind: Single, Path: path, Type: counter.DoubleRaw, TimeBase: usualFreq,
	})
}

// arrange sorts the entries in the order of the log that is appended to.
func (v *values) arrange(t *Tail) error {
	order, err := t.order(v.list)
	if err != nil {
		return err
	}

	places := make([]int, len(v.list)) // by previous position
	for to, from := range order {
		places[from] = to
	}
	for text, from := range v.places {
		v.places[text] = places[from]
	}
	v.list = t.list
	return nil
}

func (w *Writer) writeValues(t time.Time, columns []winperf.Column) error {
	utc, local := w.moment(t)
	w.values.fill(columns, local)
	w.values.buf = appendSample(w.values.buf[:0], &w.values.sample)
	return w.out.record(typeSample, local, utc, w.values.buf)
}

// fill sets v.sample to the values of columns.
func (v *values) fill(columns []winperf.Column, local int64) {
	s := &v.sample
	s.Local, s.Values = local, s.Values[:0]
	for i := range v.list {
		s.Values = append(s.Values, Value{Counter: &v.list[i], Kind: Single, Status: cstatusInvalidData})
	}

	for i := range columns {
		v.fillColumn(&columns[i])
	}
}

func (v *values) fillColumn(c *winperf.Column) {
	for i := range c.Len() {
		c.Describe(&v.series, i)
		v.path, _ = v.series.Path.AppendText(v.path[:0])
		if n, known := v.places[string(v.path)]; known {
			v.sample.Values[n].set(c.Value(i), c.Status[i])
		} else if len(v.late) < maxLate {
			v.late[string(v.path)] = struct{}{}
		}
	}
}

// set sets the value unless a previous reading of the path was ok.
func (v *Value) set(to counter.Value, status counter.Status) {
	f, isNumber := to.Float64()
	isNumber = isNumber && !math.IsNaN(f) && !math.IsInf(f, 0)
	switch {
	case v.Status == cstatusValid:
	case status == counter.OK && isNumber:
		v.Status, v.First, v.Multi = cstatusValid, int64(math.Float64bits(f)), 1
	case status == counter.NoInstance:
		v.Status = cstatusNoInstance
	case status == counter.NotPermitted:
		v.Status = cstatusDenied
	}
}
