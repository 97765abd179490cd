package pdhlog

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
)

// reading makes a reading of a path.
func reading(t testing.TB, path string, v counter.Value, status counter.Status) winperf.Reading {
	return winperf.Reading{Series: &winperf.Series{Path: parsePaths(t, path)[0]}, Value: v, Status: status}
}

const (
	freePath = `\\HOST\Memory\Available MBytes`
	timePath = `\\HOST\Thread(editor/7#2)\% Processor Time`
)

// Values that are displayable ones are read as the same doubles, at the same times, and
// missing ones stay missing.
func TestWriteReadings(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 10, 25, 0, 59, 59, 123_000_000, time.UTC) // a clock change repeats the hour
	numbers := []float64{0, 0.1, -1.5, math.MaxFloat64, math.SmallestNonzeroFloat64, 9007199254740991}

	var out seekBuffer
	w, err := NewWriter(&out, Options{Location: berlin})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range numbers {
		list := []winperf.Reading{
			reading(t, timePath, counter.Float(f), counter.OK), reading(t, freePath, counter.Value{}, counter.InvalidData),
		}
		if i%2 == 1 {
			list[1] = reading(t, freePath, counter.Int(uint64(i)), counter.OK)
		}
		if i == 2 {
			list = append(list, reading(t, `\\HOST\System\Processes`, counter.Int(1), counter.OK))
		}
		if err := w.WriteReadings(start.Add(time.Duration(i)*30*time.Minute), winperf.ColumnsOf(list)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || w.Late() != 1 {
		t.Errorf("%v, %d late", err, w.Late())
	}

	all := readWhole(t, out.b)
	if len(all.damage) > 0 || len(all.samples) != len(numbers) || len(all.list) != 2 {
		t.Fatalf("%d samples of %d counters, damage %v", len(all.samples), len(all.list), all.damage)
	}
	for i, c := range all.list {
		if want := []string{timePath, freePath}[i]; c.Path.String() != want || c.Type != counter.DoubleRaw {
			t.Errorf("counter %d is %v of type %v, want %s", i, c.Path, c.Type, want)
		}
	}
	for i, s := range all.samples {
		free, used := &s.Values[1], &s.Values[0]
		if want := start.Add(time.Duration(i) * 30 * time.Minute); !s.Time.Equal(want) || s.Ahead != 2*time.Hour {
			t.Errorf("sample %d at %v, want %v", i, s.Time, want)
		}
		if math.Float64frombits(uint64(used.First)) != numbers[i] || !used.Valid() {
			t.Errorf("sample %d: %+v, want %v", i, used, numbers[i])
		}
		if free.Valid() != (i%2 == 1) || free.Valid() && math.Float64frombits(uint64(free.First)) != float64(i) {
			t.Errorf("sample %d: free is %+v", i, free)
		}
	}
}

// Why a value is missing is kept where a log can hold it. What is no number is no value.
func TestWriteReadingsMissing(t *testing.T) {
	for status, want := range map[counter.Status]uint32{
		counter.InvalidData: cstatusInvalidData, counter.NoPrevious: cstatusInvalidData,
		counter.NoInstance: cstatusNoInstance, counter.NotPermitted: cstatusDenied,
	} {
		if v := valueOf(t, reading(t, freePath, counter.Value{}, status)); v.Status != want {
			t.Errorf("%v: status %#x, want %#x", status, v.Status, want)
		}
	}
	for _, value := range []counter.Value{counter.Text("x"), counter.Float(math.NaN()), counter.Float(math.Inf(1))} {
		if v := valueOf(t, reading(t, freePath, value, counter.OK)); v.Valid() {
			t.Errorf("%v is valid: %+v", value, v)
		}
	}

	two := valueOf(t, reading(t, freePath, counter.Int(1), counter.OK), reading(t, freePath, counter.Int(2), counter.OK))
	if math.Float64frombits(uint64(two.First)) != 1 {
		t.Errorf("of two values of a path %+v remains", two)
	}
}

// TestWriteKinds: values of several kinds in one column are the same log as each in its own.
func TestWriteKinds(t *testing.T) {
	list := []winperf.Reading{
		reading(t, `\\HOST\Job(text)\Value`, counter.Text("on hold"), counter.OK),
		reading(t, `\\HOST\Job(whole)\Value`, counter.Int(7), counter.OK),
		reading(t, `\\HOST\Job(decimal)\Value`, counter.Float(2.5), counter.OK),
		reading(t, `\\HOST\Job(nan)\Value`, counter.Float(math.NaN()), counter.OK),
		reading(t, `\\HOST\Job(first)\Value`, counter.Value{}, counter.NoPrevious),
	}

	write := func(columns ...winperf.Column) []byte {
		var out seekBuffer
		w, err := NewWriter(&out, Options{GUID: winperf.GUID{1}, Location: time.UTC})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.WriteReadings(testStart, columns), w.Close()); err != nil {
			t.Fatal(err)
		}
		return out.b
	}
	apart, together := write(winperf.ColumnsOf(list)...), write(perftest.Column(list...))
	if !bytes.Equal(apart, together) {
		t.Error("a column of several kinds makes another log")
	}
	for i, v := range readWhole(t, together).samples[0].Values {
		if v.Valid() != (i == 1 || i == 2) {
			t.Errorf("value %d is %+v", i, v)
		}
	}
}

// valueOf writes a moment and reads its first value.
func valueOf(t *testing.T, list ...winperf.Reading) Value {
	t.Helper()
	var out seekBuffer
	w, err := NewWriter(&out, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteReadings(testStart, winperf.ColumnsOf(list)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return readWhole(t, out.b).samples[0].Values[0]
}

// Columns that are named have their places before any of them has a value; a log of displayable
// values is appended to in its own order.
func TestAppendReadings(t *testing.T) {
	var out seekBuffer
	w, err := NewWriter(&out, Options{Columns: []string{freePath, timePath}, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	one := []winperf.Reading{reading(t, timePath, counter.Float(1.5), counter.OK)}
	if err := errors.Join(w.WriteReadings(testStart, winperf.ColumnsOf(one)), w.Close()); err != nil {
		t.Fatal(err)
	}

	both := []winperf.Reading{
		reading(t, timePath, counter.Float(2.5), counter.OK), reading(t, freePath, counter.Float(3.5), counter.OK),
	}
	to, w := appendTo(t, out.b, Options{})
	if err := errors.Join(w.WriteReadings(testStart.Add(time.Second), winperf.ColumnsOf(both)), w.Close()); err != nil {
		t.Fatal(err)
	}
	all := readWhole(t, to.b)
	v := all.samples[1].Values
	if math.Float64frombits(uint64(v[0].First)) != 3.5 || math.Float64frombits(uint64(v[1].First)) != 2.5 {
		t.Errorf("free %+v, time %+v", v[0], v[1])
	}

	to, w = appendTo(t, out.b, Options{})
	err = w.WriteReadings(testStart, winperf.ColumnsOf(one))
	if err == nil || !strings.HasPrefix(err.Error(), `the file has `+freePath+`, `) || string(to.b) != string(out.b) {
		t.Errorf("one of two: %v", err)
	}
	m := newMachine(t)
	refuseAppend(t, "raw values", out.b, Options{Paths: parsePaths(t, `\System\Processes`)}, m, m.frame(), `the file has `+freePath+`, `)
}
