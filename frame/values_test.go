package frame_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/valueblock"
)

var valuesTime = time.Date(2026, 3, 4, 5, 6, 7, 800_000_042, time.UTC)

// seriesOf makes the series of some paths.
func seriesOf(t testing.TB, texts ...string) (all []*winperf.Series) {
	for _, text := range texts {
		path, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, winperf.NewSeries(path))
	}
	return all
}

// valueSample makes a sample of displayable values. ages are how long before it they were taken; nil for
// no time.
func valueSample(series []*winperf.Series, values []counter.Value, ages []time.Duration) *winperf.Sample {
	var v valueblock.Values
	for i, value := range values {
		v.Add(value, counter.OK)
		if ages != nil {
			v.SetAge(ages[i])
		}
	}
	var raw winperf.Raw
	v.Fill(&raw, valuesTime, series)
	return raw.Sample()
}

// shownValue is a value as a frame has it.
type shownValue struct {
	path  string
	value counter.Value
	age   time.Duration
}

// showAll returns the values of a frame, of which columns hold so many each.
func showAll(t testing.TB, f frame.Frame, wide int) (all []shownValue) {
	t.Helper()
	if f.NumObjects() != 0 {
		t.Errorf("%d objects, want none", f.NumObjects())
	}
	for v := range f.Values() {
		series := v.AllSeries()
		for from := 0; from < len(series); from += wide {
			var col winperf.Column
			v.Column(&col, from, min(from+wide, len(series)))
			for n, s := range col.AllSeries() {
				var described winperf.Series
				col.Describe(&described, n)
				if s != series[from+n] || col.Series(n) != s || col.ID(n) != s.ID || described != *s ||
					n == 0 && (col.Counter() != s || !col.Time.Equal(v.Time(from))) {
					t.Errorf("value %d of the column from %d is not of %s", n, from, s)
				}
				all = append(all, shownValue{s.String(), col.Value(n), f.Time().Sub(v.Time(from + n))})
			}
		}
	}
	return all
}

// TestValues: each displayable value is shown as itself, with its kind, machine and time, also where two
// series have one path.
func TestValues(t *testing.T) {
	series := seriesOf(t, `\\A\Process(svchost)\ID Process`, `\\A\Process(svchost#1)\ID Process`, `\\A\Memory\Bytes`,
		`\\B\Process(svchost)\ID Process`, `\\A\Process(svchost)\ID Process`, `\\A\Process(svchost)\Name`,
		`\\A\Process\ID Process`)
	values := []counter.Value{counter.Int(math.MaxUint64), counter.Float(1e17), counter.Text("text"), counter.Int(4),
		counter.Int(5), counter.Text("svchost.exe"), counter.FromBits(counter.KindHex32, 7)}
	ages := make([]time.Duration, len(values))
	ages[1] = 250 * time.Millisecond

	var pool frame.Pool
	var before frame.Frame
	var last []shownValue
	for n, ages := range [][]time.Duration{nil, nil, ages, ages, nil} {
		f, err := pool.Decode(valueSample(series, values, ages), before)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Time().Equal(valuesTime) || f.Machine() != "A" {
			t.Errorf("sample %d is of %v and %q", n, f.Time(), f.Machine())
		}
		got := showAll(t, f, 1+n)
		for i, s := range series {
			want := shownValue{path: s.String(), value: values[i]}
			if ages != nil {
				want.age = ages[i]
			}
			if i >= len(got) || got[i] != want {
				t.Errorf("sample %d, value %d: %+v, want %+v", n, i, got, want)
			}
		}
		if !before.IsZero() && !slices.Equal(showAll(t, before, 2), last) {
			t.Errorf("the values before sample %d are not valid any more", n)
		}
		before, last = f, got
	}
}

// TestValueKinds: a column has the kind of its values unless they differ; those without a value have none.
func TestValueKinds(t *testing.T) {
	const blank, whole, decimal, text = counter.KindNone, counter.KindInt, counter.KindFloat, counter.KindText
	series := seriesOf(t, `\O(a)\C`, `\O(b)\C`, `\O(c)\C`, `\O(d)\C`, `\O(e)\C`)
	values := []counter.Value{counter.Int(1), {}, counter.Int(3), counter.Float(4), counter.Text("5")}
	kinds := []counter.Kind{whole, blank, whole, decimal, text}
	var pool frame.Pool
	f, err := pool.Decode(valueSample(series, values, nil), frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	for v := range f.Values() {
		for _, want := range []struct {
			from, to int
			kind     counter.Kind
		}{{0, 1, whole}, {0, 3, whole}, {1, 2, blank}, {1, 3, whole}, {3, 4, decimal}, {4, 5, text}, {0, 5, blank}, {3, 5, blank}} {
			var col winperf.Column
			v.Column(&col, want.from, want.to)
			if col.Kind != want.kind {
				t.Errorf("%d to %d: kind %v, want %v", want.from, want.to, col.Kind, want.kind)
			}
			for n := range col.Len() {
				if i := want.from + n; col.Value(n) != values[i] || values[i] != (counter.Value{}) && col.KindOf(n) != kinds[i] {
					t.Errorf("%d to %d: value %d is %v of kind %v", want.from, want.to, n, col.Value(n), col.KindOf(n))
				}
			}
		}
	}
}

// TestValuesChange: series appear and end, and blocks of raw values come between.
func TestValuesChange(t *testing.T) {
	all := seriesOf(t, `\O(a)\C`, `\O(b)\C`, `\P\C`, `\O(c)\C`)
	values := []counter.Value{counter.Int(1), counter.Int(2), counter.Int(3), counter.Int(4)}
	var pool frame.Pool
	var sample winperf.Sample
	for n, series := range [][]*winperf.Series{all, all, nil, all[1:], nil, all} {
		b := sample.Begin()
		from := valueSample(series, values[:len(series)], nil).Parts[0].Block
		b.Raw = winperf.Raw{Format: from.Format, Series: series, Clocks: from.Clocks, Bytes: append(b.Bytes, from.Bytes...)}
		if n == 2 {
			b.Raw = winperf.Raw{Format: winperf.FormatV1, Bytes: append(b.Bytes[:0], perftest.Block(perftest.Desktop)...)}
		}
		f, err := pool.Decode(&sample, frame.Frame{})
		if err != nil {
			t.Fatal(err)
		}
		if n == 2 {
			for range f.Values() {
				t.Error("a block of raw values has displayable ones")
			}
			if f.NumObjects() == 0 || f.Machine() != "" && f.Machine() != f.Object(0).Machine() {
				t.Errorf("%d objects of %q", f.NumObjects(), f.Machine())
			}
		} else if got := showAll(t, f, 2); len(got) != len(series) {
			t.Errorf("%d values, want %d", len(got), len(series))
		}
	}
}

// TestValuesDamaged: a damaged block is an error, and the next block is read.
func TestValuesDamaged(t *testing.T) {
	series := seriesOf(t, `\O(a)\C`, `\O(b)\C`)
	values := []counter.Value{counter.Int(1), counter.Text("b")}
	bad := valueSample(series, values, nil)
	bad.Parts[0].Block.Bytes = bad.Parts[0].Block.Bytes[:20]
	var pool frame.Pool
	if _, err := pool.Decode(bad, frame.Frame{}); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("%v, want bad data", err)
	}
	f, err := pool.Decode(valueSample(series, values, nil), frame.Frame{})
	if err != nil || len(showAll(t, f, 1)) != 2 {
		t.Error(err)
	}
}

// TestValuesAllocateNothing: samples of the same series take no memory.
func TestValuesAllocateNothing(t *testing.T) {
	series := seriesOf(t, `\O(a)\C`, `\O(b)\C`, `\P\C`)
	values := []counter.Value{counter.Int(1), counter.Float(2), counter.Int(3)}
	from := valueSample(series, values, nil).Parts[0].Block
	var pool frame.Pool
	var samples [3]winperf.Sample // of the two frames that are valid, and the one that is taken
	var before frame.Frame
	taken := 0
	round := func() {
		sample := &samples[taken%len(samples)]
		taken++
		b := sample.Begin()
		b.Raw = winperf.Raw{
			Format: winperf.FormatValues, Series: series, Clocks: from.Clocks, Bytes: append(b.Bytes, from.Bytes...),
		}
		f, err := pool.Decode(sample, before)
		if err != nil {
			t.Fatal(err)
		}
		var col winperf.Column
		for v := range f.Values() {
			v.Column(&col, 0, len(series))
		}
		before = f
	}
	for range 5 {
		round()
	}
	if allocs := testing.AllocsPerRun(20, round); allocs != 0 {
		t.Errorf("%v allocations a sample", allocs)
	}
}
