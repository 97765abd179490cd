package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// fullRecord has something in every field.
func fullRecord() Record {
	at := time.Date(2026, 11, 23, 4, 5, 6, 789000001, time.UTC)
	guid, err := winperf.ParseGUID("{01020304-0506-0708-090a-0b0c0d0e0f10}")
	if err != nil {
		panic(err)
	}
	return Record{
		Experiment: "load", Session: "5f3a", Number: 7, Binding: "requests", Kind: Span,
		Event: EventInfo{
			Name: "GET /\u202eitem", Source: "code", ID: math.MaxUint64, Parent: 3, Trace: "4bf92f", SpanID: "00f0", Task: "9",
			Missed: 4, Time: at, Duration: 1500 * time.Millisecond,
			Attrs: []Attr{
				{"user", "x\n"}, {"user", "twice"}, {"n", int64(-5)}, {"u", uint64(5)}, {"f", 5.0}, {"inf", math.Inf(-1)},
				{"ok", true}, {"at", at}, {"took", -time.Nanosecond}, {"none", nil},
			},
		},
		Begun: at.Add(time.Microsecond), Ended: at.Add(time.Millisecond), Delay: time.Microsecond,
		Blocked: time.Duration(math.MinInt64),
		Cost:    measure.Cost{Prepare: 1, Sample: 20, Decode: 300, Bytes: 4000},
		Values: []Value{
			{
				Path: `\\HOST\Process(a/b)\% Processor Time`, Value: counter.Float(5), Unit: counter.Percent,
				Age: 2 * time.Second, Difference: math.MaxUint64, HasDifference: true, TicksPerSecond: 10_000_000,
				Touched: winperf.AnomalySet(0).With(winperf.InstancesAdded).With(winperf.PathUnmatched),
				Raw: []counter.Sample{
					{Value: math.MaxUint64, Base: 2, Multi: 3, Clocks: counter.Clocks{
						PerfTime: 4, PerfFreq: 5, Time100ns: -6, ObjectTime: 7, ObjectFreq: 8}},
					{},
				},
			},
			{Path: `\Memory\Available Bytes`, Value: counter.Int(math.MaxUint64), Unit: counter.Count},
			{Path: `\A\Small`, Source: "a \"log\"", Value: counter.Float(1e-300), Unit: counter.Seconds},
			{Path: `\A\Text`, Value: counter.Text("hé\x1b"), Unit: counter.TextUnit},
			{Path: `\A\B`, Unit: counter.PerSecond, Status: counter.NoPrevious},
			{Path: `\A\B`, Unit: counter.PerSecond, Statistics: &Statistics{
				Count: 3, Missing: 1, Mean: 1.5, Deviation: 0, Min: -1, Max: math.MaxFloat64, Confidence: 0.95,
				Low: math.NaN(), High: math.NaN(), Percents: []float64{50, 99}, Percentiles: []float64{1, math.NaN()},
				Difference: true,
			}},
		},
		Anomalies: []winperf.Anomaly{{
			Kind: winperf.SourceFailed, Time: at, Source: "one", Object: winperf.ObjectID{Index: 230, GUID: guid},
			ObjectName: "Process", Instances: []string{"a", "b"}, Detail: "seen", Action: "done",
			Err: errors.New("why"),
		}},
		Dropped: 9, Err: "no sample",
	}
}

// same compares what can be written: errors by their texts.
var same = cmp.Options{
	cmpopts.EquateComparable(counter.Value{}),
	cmpopts.EquateNaNs(),
	cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error()) }),
}

func TestRecordRoundTrip(t *testing.T) {
	empty := Record{Number: 1}
	change := Record{Number: 2, Kind: Change, Event: EventInfo{Name: "paused", Attrs: []Attr{{"by", "uid 1000"}}}}
	for _, want := range []Record{fullRecord(), empty, change} {
		line := want.AppendJSON(nil)
		if !json.Valid(line) || bytes.ContainsAny(line, "\n\x1b\u202e") {
			t.Errorf("not JSON, or not safe: %s", line)
		}
		got, err := ParseRecord(line)
		if diff := cmp.Diff(want, got, same); err != nil || diff != "" {
			t.Errorf("%s\n%v\n%s", line, err, diff)
		}
	}
}

// The shape of a line is fixed: others rely on it.
func TestRecordShape(t *testing.T) {
	r := Record{
		Experiment: "load", Session: "s", Number: 3, Binding: "b",
		Event: EventInfo{Name: "tick", Source: "interval", Time: time.Unix(1, 5).UTC()},
		Begun: time.Unix(2, 0), Delay: 2500 * time.Microsecond,
		Values: []Value{
			{Path: `\A(x)\B`, Value: counter.Float(2), Unit: counter.Percent},
			{Path: `\A\C`, Value: counter.Float(math.NaN()), Unit: counter.Seconds},
		},
	}
	const want = `{"experiment":"load","session":"s","number":3,"binding":"b","kind":"point",` +
		`"event":{"name":"tick","source":"interval","time":"1970-01-01T00:00:01.000000005Z"},` +
		`"begun":"1970-01-01T00:00:02.000000000Z","delay":0.0025,"values":[` +
		`{"path":"\\A(x)\\B","value":2.0,"unit":"percent","status":"ok"},` +
		`{"path":"\\A\\C","value":null,"unit":"seconds","status":"ok"}]}`
	if got := string(r.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A time that RFC 3339 has no year for is left out, not made another one.
func TestRecordFarTimes(t *testing.T) {
	r := Record{Number: 1, Begun: winperf.FromFiletime(math.MaxInt64)}
	got, err := ParseRecord(r.AppendJSON(nil))
	if err != nil || !got.Begun.IsZero() {
		t.Errorf("%v, %v", got.Begun, err)
	}
}

func TestParseRecordRefuses(t *testing.T) {
	for _, c := range []struct{ line, says string }{
		{``, "invalid JSON"},
		{`[]`, "invalid JSON"},
		{`{"number":0,"kind":"point"}`, "no number"},
		{`{"number":1,"kind":"pint"}`, `unknown kind of record "pint", expected one of point`},
		{`{"number":-1,"kind":"point"}`, "number"},
		{`{"number":1,"kind":"point","delay":1e3}`, "not a duration in seconds"},
		{`{"number":1,"kind":"point","delay":10000000000}`, "not a duration in seconds"},
		{`{"number":1,"kind":"point","begun":"today"}`, "invalid JSON"},
		{`{"number":1,"kind":"point","values":[{"unit":"percents","status":"ok"}]}`, "unknown unit"},
		{`{"number":1,"kind":"point","values":[{"unit":"count","status":"fine"}]}`, "unknown status"},
		{`{"number":1,"kind":"point","values":[{"path":"p","unit":"count","status":"ok","value":1e999}]}`, "range"},
		{`{"number":1,"kind":"point","anomalies":[{"kind":"odd"}]}`, "unknown kind of anomaly"},
		{`{"number":1,"kind":"point","event":{"attrs":[{"key":"k","value":"x","type":"int"}]}}`, `attribute "k"`},
		{`{"number":1,"kind":"point","event":{"attrs":[{"key":"k","type":"int"}]}}`, `attribute "k"`},
	} {
		_, err := ParseRecord([]byte(c.line))
		var place *winperf.DataError
		if !errors.As(err, &place) || !errors.Is(err, winperf.ErrBadData) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.line, err, c.says)
		}
	}
}

// What is damaged costs its line only, and the error names it.
func TestReadRecords(t *testing.T) {
	one, two := Record{Number: 1}, Record{Number: 2}
	text := string(one.AppendJSON(nil)) + "\n\nnonsense\n" + strings.Repeat("x", MaxRecord+1) + "\n" +
		string(two.AppendJSON(nil)) + "\r\n" + `{"number":3,"ki`
	var numbers []uint64
	var lines []int
	for rec, err := range ReadRecords(strings.NewReader(text)) {
		var bad *winperf.DataError
		if errors.As(err, &bad) && errors.Is(err, winperf.ErrBadData) {
			lines = append(lines, bad.Line)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, rec.Number)
	}
	if diff := cmp.Diff([]uint64{1, 2}, numbers) + cmp.Diff([]int{3, 4, 6}, lines); diff != "" {
		t.Error(diff)
	}
}

// Every line that can be read is written so that it is read as the same record.
func FuzzParseRecord(f *testing.F) {
	full := fullRecord()
	f.Add(full.AppendJSON(nil))
	f.Add([]byte(`{"number":1,"kind":"change","delay":0.5,"values":[{"unit":"text","status":"ok","text":"x"}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		first, err := ParseRecord(line)
		if err != nil {
			if !errors.Is(err, winperf.ErrBadData) {
				t.Fatal(err)
			}
			return
		}
		again := first.AppendJSON(nil)
		second, err := ParseRecord(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if third := second.AppendJSON(nil); !bytes.Equal(again, third) {
			t.Fatalf("%s\n%s", again, third)
		}
	})
}

func BenchmarkRecordJSON(b *testing.B) {
	r := fullRecord()
	line := r.AppendJSON(nil)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			line = r.AppendJSON(line[:0])
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			if _, err := ParseRecord(line); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding json", func(b *testing.B) { // the reference: the same fields by reflection
		var l recordLine
		if err := json.Unmarshal(line, &l); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(&l); err != nil {
				b.Fatal(err)
			}
		}
	})
}
