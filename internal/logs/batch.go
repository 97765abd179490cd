package logs

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/stats"
)

// batch buffers the values of several samples of the same series, because adding one value to each
// series touches the memory of all series.
type batch struct {
	moments
	spare moments        // memory of the previous batch
	rows  int            // capacity in samples
	work  sync.WaitGroup // adding the previous batch
}

type moments struct {
	times  []time.Duration
	values []float64 // by sample and position; see the markers below
	width  int       // values per sample
	one    []float64 // of one series
}

// Markers in a batch for missing numbers.
var (
	missed  = math.NaN()
	passed  = math.Inf(1)  // no value could be expected
	unknown = math.Inf(-1) // a text or an unmatched name, of a series without a row
)

// begin sets the capacity for samples of width values. More values mean fewer samples.
func (b *batch) begin(width int) {
	const least, most, enough = 8, 64, 1 << 16
	b.width, b.rows = width, min(max(enough/max(width, 1), least), most)
}

// add adds a sample and reports whether it could: its series must equal the series of the previous
// sample, have the sample's time, and have rows.
func (b *batch) add(to []gatheredColumn, columns []winperf.Column, at time.Time, t time.Duration) bool {
	n := len(b.times)
	if len(to) != len(columns) || n > 0 && t < b.times[n-1] {
		return false
	}
	for i := range columns {
		if !to[i].is(columns[i].AllSeries()) || !columns[i].Time.Equal(at) {
			return false
		}
	}

	if n == 0 && len(b.values) < b.rows*b.width {
		b.values = make([]float64, b.rows*b.width)
	}
	row := b.values[n*b.width:]
	for i := range columns {
		if !to[i].read(row[:columns[i].Len()], &columns[i]) {
			return false
		}
		row = row[columns[i].Len():]
	}

	for i := range to {
		to[i].sampled(at)
	}
	if b.times = append(b.times, t); len(b.times) == b.rows {
		b.flush(to)
	}
	return true
}

// read copies the values of a column to a row. It reports whether all series that need a row have
// one.
func (c *gatheredColumn) read(row []float64, col *winperf.Column) bool {
	for n, status := range col.Status {
		kind := col.Kind
		if kind == counter.KindNone {
			kind = col.KindOf(n)
		}

		v := missed
		switch {
		case status != counter.OK:
			if hasNoValue(status) {
				v = passed
			}
		case kind == counter.KindFloat:
			v = math.Float64frombits(col.Bits[n])
			if math.IsInf(v, 0) {
				v = missed
			}
		case kind != counter.KindText:
			v = float64(col.Bits[n])
		}

		if c.to[n] == nil {
			if !status.NamesNothing() && kind != counter.KindText {
				return false
			}
			v = unknown
		}
		row[n] = v
	}
	return true
}

// flush adds the values to the series while the next samples are read.
func (b *batch) flush(to []gatheredColumn) {
	b.work.Wait()
	full := &b.spare
	b.moments, b.spare = b.spare, b.moments
	b.width = full.width
	b.work.Go(func() { full.addTo(to) })
}

func (b *batch) settle(to []gatheredColumn) {
	b.work.Wait()
	b.addTo(to)
}

func (m *moments) addTo(to []gatheredColumn) {
	if len(m.times) == 0 {
		return
	}

	m.one = slices.Grow(m.one[:0], len(m.times))[:len(m.times)]
	at := 0
	for i := range to {
		for n, values := range to[i].to {
			if values != nil {
				m.addOne(values, at+n)
			}
		}
		at += len(to[i].to)
	}
	m.times = m.times[:0]
}

// addOne adds the values at a position to a series.
func (m *moments) addOne(to *stats.Series, at int) {
	one, none := m.one, 0.0 // NaN if a value is a marker
	for i := range one {
		one[i] = m.values[at]
		none += one[i] - one[i]
		at += m.width
	}
	if none == 0 {
		to.AddAll(m.times, one)
		return
	}

	for i, t := range m.times {
		switch v := one[i]; v {
		case unknown:
		case passed:
			to.Pass(t)
		default:
			to.Add(t, v)
		}
	}
}
