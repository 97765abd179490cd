package valueblock_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/valueblock"
)

// added is a value as it is added, and as it is read back.
type added struct {
	value  counter.Value
	status counter.Status
	marks  winperf.AnomalySet
	age    time.Duration

	read       counter.Value
	readStatus counter.Status
}

var values = []added{
	{counter.Int(math.MaxUint64), counter.OK, 0, 0, counter.Int(math.MaxUint64), counter.OK},
	{counter.Float(1e17), counter.OK, 0, 0, counter.Float(1e17), counter.OK},
	{counter.Text("почта"), counter.OK, 0, 0, counter.Text("почта"), counter.OK},
	{counter.Value{}, counter.NoPrevious, 1 << winperf.ClockBack, 0, counter.Value{}, counter.NoPrevious},
	{counter.Text(""), counter.OK, 0, -7, counter.Text(""), counter.OK},
	{counter.FromBits(counter.KindHex, 0xABC), counter.OK, 0, 0,
		counter.FromBits(counter.KindHex, 0xABC), counter.OK},
	{counter.FromBits(counter.KindHex32, 0xFFFFFFFF), counter.OK, 0, 0,
		counter.FromBits(counter.KindHex32, 0xFFFFFFFF), counter.OK},
	{counter.Text("more"), counter.OK, 0, 0, counter.Text("more"), counter.OK},
	{counter.Int(5), counter.InvalidData, 0, 0, counter.Value{}, counter.InvalidData},
	{counter.Value{}, counter.OK, 0, 0, counter.Value{}, counter.InvalidData},
}

// block is the block of some values.
func block(all []added) []byte {
	var v valueblock.Values
	for _, a := range all {
		v.Add(a.value, a.status)
		v.Mark(a.marks)
		v.SetAge(a.age)
	}
	return v.Append(nil)
}

// value is the value at a position.
func value(v *valueblock.Values, i int) counter.Value {
	switch {
	case v.Status[i] != counter.OK:
		return counter.Value{}
	case v.Kinds[i] == counter.KindText:
		return counter.Text(string(v.Text(v.Bits[i])))
	}
	return counter.FromBits(v.Kinds[i], v.Bits[i])
}

// TestValues: values are read back as they were added, whichever of them have anomalies and times.
func TestValues(t *testing.T) {
	for from := range values {
		for end := from; end <= len(values); end++ {
			all := values[from:end]
			var v valueblock.Values
			if err := valueblock.Decode(block(all), len(all), &v); err != nil {
				t.Fatalf("%d to %d: %v", from, end, err)
			}
			for i, want := range all {
				if got := value(&v, i); got != want.read || v.Status[i] != want.readStatus {
					t.Errorf("%d of %d to %d: %v %v, want %v %v", i, from, end, got, v.Status[i], want.read, want.readStatus)
				}
				if len(v.Marks) > 0 && v.Marks[i] != want.marks || len(v.Marks) == 0 && want.marks != 0 {
					t.Errorf("%d of %d to %d: anomalies %v, want %v", i, from, end, v.Marks, want.marks)
				}
				if len(v.Ages) > 0 && v.Ages[i] != want.age || len(v.Ages) == 0 && want.age != 0 {
					t.Errorf("%d of %d to %d: ages %v, want %v", i, from, end, v.Ages, want.age)
				}
			}
		}
	}
}

// TestFill: a block has the time of its sample to the nanosecond.
func TestFill(t *testing.T) {
	for _, at := range []time.Time{
		time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999999999, time.UTC),
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 50, time.UTC),
	} {
		var v, read valueblock.Values
		v.Add(counter.Int(1), counter.OK)
		var raw winperf.Raw
		v.Fill(&raw, at, []*winperf.Series{winperf.NewSeries(winperf.Path{})})
		if err := valueblock.Decode(raw.Bytes, len(raw.Series), &read); err != nil {
			t.Fatal(err)
		}
		got := winperf.FromFiletime(raw.Clocks.Time100ns).Add(time.Duration(read.Nanos))
		if !got.Equal(at) || raw.Format != winperf.FormatValues {
			t.Errorf("%v of format %d, want %v", got, raw.Format, at)
		}
	}
}

// TestDecodeAnywhere: a block is read wherever it is in memory.
func TestDecodeAnywhere(t *testing.T) {
	b := block(values)
	for shift := range 8 {
		shifted := append(make([]byte, shift, shift+len(b)), b...)[shift:]
		var v valueblock.Values
		if err := valueblock.Decode(shifted, len(values), &v); err != nil {
			t.Fatal(err)
		}
		for i, want := range values {
			if got := value(&v, i); got != want.read {
				t.Errorf("%d at %d: %v, want %v", i, shift, got, want.read)
			}
		}
	}
}

// TestDecodeAgain: nothing of the block before is left.
func TestDecodeAgain(t *testing.T) {
	var again, once valueblock.Values
	b := block([]added{{value: counter.Int(1)}})
	if err := errors.Join(valueblock.Decode(block(values), len(values), &again),
		valueblock.Decode(b, 1, &again), valueblock.Decode(b, 1, &once)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Append(nil), once.Append(nil)) {
		t.Errorf("%+v, want %+v", again, once)
	}
	if allocs := testing.AllocsPerRun(10, func() { _ = valueblock.Decode(b, 1, &again) }); allocs != 0 {
		t.Errorf("%v allocations for a block, want 0", allocs)
	}
}

// TestDamage: what cannot have been made of values is refused, with a place, and nothing is read.
func TestDamage(t *testing.T) {
	whole := block(values)
	for n := range whole {
		expectBad(t, whole[:n], len(values))
	}
	expectBad(t, append(slices.Clone(whole), 0), len(values))
	expectBad(t, whole, len(values)-1)
	expectBad(t, whole, len(values)+1)

	one := block([]added{{value: counter.Int(1)}})
	const flags, nanos, word, kind, status = 4, 5, 8, 16, 17
	for _, change := range [][2]byte{
		{flags, 4}, {flags, 1}, {flags, 2}, {nanos, 100}, {nanos + 1, 1}, {nanos + 2, 1}, {kind, byte(counter.KindNone)}, {kind, byte(counter.KindText)},
		{kind, byte(counter.KindText) + 1}, {status, byte(counter.InvalidData)}, {status, byte(counter.TooClose) + 1},
	} {
		b := slices.Clone(one)
		b[change[0]] = change[1]
		expectBad(t, b, 1)
	}
	wide := slices.Clone(one)
	wide[word+7], wide[kind] = 1, byte(counter.KindHex32)
	expectBad(t, wide, 1)
	none := block([]added{{status: counter.NoPrevious}})
	none[word] = 1
	expectBad(t, none, 1)
}

func expectBad(t *testing.T, b []byte, n int) {
	t.Helper()
	var v valueblock.Values
	err := valueblock.Decode(b, n, &v)
	var bad *winperf.DataError
	if !errors.As(err, &bad) || !errors.Is(err, winperf.ErrBadData) || bad.Offset < 0 || bad.Offset > int64(len(b)) {
		t.Errorf("%x as %d values: %v, want an error about the data with a place", b, n, err)
	}
	if v.Len()+len(v.Kinds)+len(v.Status)+len(v.Texts)+len(v.Marks)+len(v.Ages) != 0 {
		t.Errorf("%x as %d values: %+v is left", b, n, v)
	}
}

// FuzzDecode: a block that is accepted is the block of its values, and all of them can be read.
func FuzzDecode(f *testing.F) {
	f.Add(block(values), len(values))
	f.Add(block(nil), 0)
	f.Add(block(values[:3]), 3)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		var v valueblock.Values
		if err := valueblock.Decode(b, n, &v); err != nil {
			if !errors.Is(err, winperf.ErrBadData) || v.Len() != 0 {
				t.Fatalf("%v, %d values", err, v.Len())
			}
			return
		}
		if got := v.Append(nil); !bytes.Equal(got, b) {
			t.Fatalf("read\n%x\nwritten\n%x", b, got)
		}

		var again valueblock.Values
		for i := range v.Len() {
			again.Add(value(&v, i), v.Status[i])
			if len(v.Marks) > 0 {
				again.Mark(v.Marks[i])
			}
			if len(v.Ages) > 0 {
				again.SetAge(v.Ages[i])
			}
		}
		again.Nanos = v.Nanos
		if got := again.Append(nil); !bytes.Equal(got, b) {
			t.Fatalf("read\n%x\nadded again\n%x", b, got)
		}
	})
}
