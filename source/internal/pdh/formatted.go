package pdh

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/valueblock"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/source/internal/pdhraw"
)

// cookedQuery returns the values that PDH computes.
type cookedQuery struct {
	*query
	series  map[seriesKey]*winperf.Series
	samples int
	of      []*winperf.Series // of the previous sample
}

// collected holds the values that PDH computed for one sample.
type collected struct {
	time   time.Time
	series []*winperf.Series
	values valueblock.Values
}

type seriesKey struct {
	column     int
	name       string
	occurrence int
}

// Next implements winperf.Query.
func (q *cookedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	var all *collected
	var err error
	if left := q.source.line.Do(ctx, 0, func(context.Context) { all, err = q.read() }); left != nil {
		return fmt.Errorf("pdh: %w", left) // the call still uses its result
	}
	if err != nil {
		return err
	}

	if q.of == nil || !slices.Equal(q.of, all.series) {
		q.of = all.series
	}
	all.values.Fill(&s.Begin().Raw, all.time, q.of)
	s.Schema = q.source.schema.Load()
	return nil
}

// read collects and reads every value.
func (q *cookedQuery) read() (*collected, error) {
	if !q.open {
		return nil, fmt.Errorf("pdh: the query is closed: %w", winperf.ErrState)
	}
	if err := q.collect(); err != nil {
		return nil, err
	}

	q.samples++
	all := &collected{time: q.source.calls.now().UTC()}
	for i := range q.columns {
		c := &q.columns[i]
		format := uint32(winapi.PDH_FMT_DOUBLE)
		if isWhole(c.entry.typ) {
			format = winapi.PDH_FMT_LARGE
		}

		err := c.readFormatted(q.source.calls, format,
			func(name string, occurrence int, v *winapi.PDH_FMT_COUNTERVALUE) {
				var value counter.Value
				status := q.status(c, v.CStatus)
				if status == counter.OK {
					value, status = displayable(v.Bits, format)
				}
				all.series = append(all.series, q.seriesOf(i, name, occurrence))
				all.values.Add(value, status)
			})

		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// isWhole reports whether the values of a type are integers.
func isWhole(t counter.Type) bool {
	f := counter.NewFormula(t, 8, 8, counter.Options{})
	k := f.Kind()
	return k == counter.KindInt || k == counter.KindHex || k == counter.KindHex32
}

// displayable returns a displayable value, or the status of an invalid one.
func displayable(bits uint64, format uint32) (counter.Value, counter.Status) {
	if format == winapi.PDH_FMT_LARGE {
		return counter.Int(bits), counter.OK
	}
	v := math.Float64frombits(bits)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return counter.Value{}, counter.InvalidData
	}
	return counter.Float(v), counter.OK
}

// status converts a status of PDH.
func (q *cookedQuery) status(c *column, s winapi.PdhStatus) counter.Status {
	switch s {
	case winapi.PDH_CSTATUS_VALID_DATA, winapi.PDH_CSTATUS_NEW_DATA:
		return counter.OK
	case winapi.PDH_CALC_NEGATIVE_DENOMINATOR:
		return counter.NegativeDenominator
	case winapi.PDH_CALC_NEGATIVE_TIMEBASE:
		return counter.NegativeTimebase
	case winapi.PDH_CALC_NEGATIVE_VALUE:
		return counter.NegativeValue
	case winapi.PDH_CSTATUS_NO_INSTANCE, winapi.PDH_NO_DATA:
		return counter.NoInstance
	case winapi.PDH_CSTATUS_NO_COUNTER:
		return counter.NoCounter
	case winapi.PDH_CSTATUS_NO_OBJECT:
		return counter.NoObject
	case winapi.PDH_ACCESS_DENIED:
		return counter.NotPermitted
	case winapi.PDH_INVALID_ARGUMENT, winapi.PDH_FUNCTION_NOT_FOUND:
		return counter.Unsupported
	}

	if q.samples < c.entry.typ.Samples() {
		return counter.NoPrevious // PDH reports invalid data
	}
	return counter.InvalidData
}

// seriesOf returns the series of an instance of a column. It stays the same until the query is
// closed.
func (q *cookedQuery) seriesOf(i int, name string, occurrence int) *winperf.Series {
	key := seriesKey{i, name, occurrence}
	if s := q.series[key]; s != nil {
		return s
	}

	if q.series == nil {
		q.series = map[seriesKey]*winperf.Series{}
	}
	c := &q.columns[i]
	s := winperf.NewSeries(winperf.Path{
		Machine: q.source.machine, Object: c.info.Object, Counter: c.info.Counter,
		HasInstance: c.info.HasInstance, Instance: name, Index: occurrence,
	})
	s.ObjectID.Index = c.object.title
	s.CounterID.Index = c.entry.title
	s.Type = c.entry.typ
	s.Unit = c.entry.typ.Unit()
	s.Scale = c.info.DefaultScale
	q.series[key] = s
	return s
}

// readFormatted reads the values of a column.
func (c *column) readFormatted(calls *calls, format uint32,
	each func(name string, occurrence int, v *winapi.PDH_FMT_COUNTERVALUE)) error {
	format |= winapi.PDH_FMT_NOCAP100 | winapi.PDH_FMT_NOSCALE
	if !c.array {
		var v winapi.PDH_FMT_COUNTERVALUE
		err := calls.formatted(c.handle, format, &v)
		if s := status(err); s != 0 && v.CStatus.Err() == nil {
			v.CStatus = s // the value has no status
		} else if err != nil && s == 0 {
			return failed("PdhGetFormattedCounterValue", c.info.FullPath, err)
		}
		name, occurrence := c.instance()
		each(name, occurrence, &v)
		return nil
	}

	buf, count, err := array(c.buf, func(buf winapi.Memory) (uint32, uint32, error) {
		return calls.formattedArray(c.handle, format, buf)
	})
	c.buf = buf
	const function = "PdhGetFormattedCounterArray"
	if s := status(err); absent(s) || errors.Is(err, winapi.PDH_INVALID_DATA) ||
		errors.Is(err, winapi.PDH_CSTATUS_INVALID_DATA) {
		return nil // no instance exists, or none has a value yet
	} else if err != nil {
		return failed(function, c.info.FullPath, err)
	}

	items, err := buf.FormattedItems(count)
	if err != nil {
		return failed(function, c.info.FullPath, err)
	}

	var names pdhraw.Splitter
	for i := range items {
		name, err := buf.Name(items[i].Name)
		if err != nil {
			return failed(function, c.info.FullPath, err)
		}
		name, occurrence := names.Split(name)
		each(name, occurrence, &items[i].FmtValue)
	}
	return nil
}
