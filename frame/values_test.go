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
	"github.com/winperf/winperf/internal/valueblock"
)

var valuesTime = time.Date(2026, 3, 4, 5, 6, 7, 800, time.UTC)

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
	at := winperf.ToFiletime(valuesTime)
	for i, value := range values {
		v.Add(value, counter.OK)
		if ages != nil {
			v.SetTime(winperf.ToFiletime(valuesTime.Add(-ages[i])), at)
		}
	}
	raw := winperf.Raw{Format: winperf.FormatValues, Series: series, Bytes: v.Append(nil, at)}
	raw.Clocks.Time100ns = at
	return raw.Sample()
}

// shownValue is a value as a frame has it.
type shownValue struct {
	path  string
	value counter.Value
	age   time.Duration
}

// showAll cooks all objects of a frame, and puts their values into the order of the sample.
func showAll(t testing.TB, ck *frame.Cooker, f frame.Frame) []shownValue {
	t.Helper()
	ck.Set(frame.Frame{}, f, counter.Options{})
	all := make([]shownValue, 100)
	n := 0
	for o := range f.Objects() {
		series, places := o.Series()
		if len(series) != o.Len() || len(places) != o.Len() || o.NumCounters() != 1 {
			t.Fatalf("%d series at %d places, %d instances, %d counters",
				len(series), len(places), o.Len(), o.NumCounters())
		}
		col := ck.Object(o).Column(0)
		for i, s := range series {
			if o.Machine() != s.Path.Machine || o.Single() == s.Path.HasInstance ||
				o.Instance(i).Full() != s.Path.Instance || o.Instance(i).Occurrence() != s.Path.Index {
				t.Errorf("%s is instance %q #%d of machine %q", s, o.Instance(i).Full(), o.Instance(i).Occurrence(), o.Machine())
			}
			if _, ok := o.Raw(i, 0); ok {
				t.Errorf("%s has a raw value", s)
			}
			age := f.Time().Sub(winperf.FromFiletime(o.Clocks().Time100ns))
			all[places[i]] = shownValue{s.String(), col.Value(i), age}
			n++
		}
	}
	return all[:n]
}

// TestValues: each displayable value is cooked as itself, with its kind, machine and time, also where two
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
	var ck frame.Cooker
	var before frame.Frame
	for n, ages := range [][]time.Duration{nil, nil, ages, ages, nil} {
		f, err := pool.Decode(valueSample(series, values, ages), before)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Time().Equal(valuesTime) || f.Machine() != "A" {
			t.Errorf("sample %d is of %v and %q", n, f.Time(), f.Machine())
		}
		got := showAll(t, &ck, f)
		for i, s := range series {
			want := shownValue{path: s.String(), value: values[i]}
			if ages != nil {
				want.age = ages[i]
			}
			if i >= len(got) || got[i] != want {
				t.Errorf("sample %d, value %d: %+v, want %+v", n, i, got, want)
			}
		}
		before = f
	}
}

// TestValuesOnly: some instances of an object are cooked as they are among all.
func TestValuesOnly(t *testing.T) {
	series := seriesOf(t, `\O(a)\C`, `\P\C`, `\O(b)\C`, `\O(c)\C`)
	values := []counter.Value{counter.Int(1), counter.Int(2), counter.Float(3), counter.Text("4")}
	var pool frame.Pool
	f, err := pool.Decode(valueSample(series, values, nil), frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	var ck frame.Cooker
	ck.Set(frame.Frame{}, f, counter.Options{})
	col := frame.Cooked{Only: []int32{0, 2}, Bits: make([]uint64, 2), Status: make([]counter.Status, 2)}
	ck.Object(f.Object(0)).Cook([]frame.Cooked{col})
	cols := []frame.Cooked{col}
	ck.Object(f.Object(0)).Cook(cols)
	if got, more := cols[0].Value(0), cols[0].Value(1); got != values[0] || more != values[3] {
		t.Errorf("%v and %v, want %v and %v", got, more, values[0], values[3])
	}
}

// TestValuesChange: series appear and end, and what is the same stays in place.
func TestValuesChange(t *testing.T) {
	all := seriesOf(t, `\O(a)\C`, `\O(b)\C`, `\P\C`, `\O(c)\C`)
	values := []counter.Value{counter.Int(1), counter.Int(2), counter.Int(3), counter.Int(4)}
	var pool frame.Pool
	var ck frame.Cooker
	var before frame.Frame
	for _, step := range []struct {
		series   []*winperf.Series
		inPlace  bool
		nothing  bool
		position int
	}{
		{series: all}, {series: all, inPlace: true}, {series: slices.Clone(all), inPlace: true}, {series: all[1:]},
		{series: all[1:], inPlace: true}, {series: nil, nothing: true}, {series: all},
	} {
		f, err := pool.Decode(valueSample(step.series, values[:len(step.series)], nil), before)
		if err != nil {
			t.Fatal(err)
		}
		if got := showAll(t, &ck, f); len(got) != len(step.series) {
			t.Errorf("%d values, want %d", len(got), len(step.series))
		}
		if step.nothing {
			continue
		}
		if pair := ck.Object(f.Object(0)); pair.InPlace() != step.inPlace {
			t.Errorf("%d series: in place %v, want %v", len(step.series), pair.InPlace(), step.inPlace)
		}
		before = f
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
	if err != nil || len(showAll(t, new(frame.Cooker), f)) != 2 {
		t.Error(err)
	}
}

// TestValuesAllocateNothing: samples of the same series take no memory.
func TestValuesAllocateNothing(t *testing.T) {
	series := seriesOf(t, `\O(a)\C`, `\O(b)\C`, `\P\C`)
	values := []counter.Value{counter.Int(1), counter.Float(2), counter.Int(3)}
	from := valueSample(series, values, nil).Parts[0].Block
	var pool frame.Pool
	var sample winperf.Sample
	var ck frame.Cooker
	var before frame.Frame
	round := func() {
		b := sample.Begin()
		b.Raw = winperf.Raw{
			Format: winperf.FormatValues, Series: series, Clocks: from.Clocks, Bytes: append(b.Bytes, from.Bytes...),
		}
		f, err := pool.Decode(&sample, before)
		if err != nil {
			t.Fatal(err)
		}
		ck.Set(before, f, counter.Options{})
		for i := range f.NumObjects() {
			ck.Object(f.Object(i)).Column(0)
		}
		before = f
	}
	for range 5 {
		round()
	}
	// What Column returns has memory of its own for the kinds of values.
	if allocs := testing.AllocsPerRun(20, round); allocs > float64(before.NumObjects()) {
		t.Errorf("%v allocations a sample", allocs)
	}
}
