package sink

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/safetext"
)

// jsonShape is the fixed shape of a reading.
type jsonShape struct {
	Time   string  `json:"time"`
	Path   string  `json:"path"`
	Value  any     `json:"value"`
	Text   *string `json:"text,omitempty"`
	Unit   string  `json:"unit"`
	Status string  `json:"status"`
	Age    float64 `json:"age,omitempty"`

	Object   string  `json:"object"`
	Parent   string  `json:"parent,omitempty"`
	Instance *string `json:"instance,omitempty"`
	Counter  string  `json:"counter"`
}

// reference is a reading encoded by encoding/json.
func reference(t testing.TB, at time.Time, r winperf.Reading) string {
	t.Helper()
	shape := jsonShape{
		Time:   at.UTC().Format("2006-01-02T15:04:05.0000000Z"),
		Path:   r.Series.String(),
		Unit:   r.Unit.String(),
		Status: r.Status.String(),

		Object:  r.Path.Object,
		Parent:  r.Parent,
		Counter: r.Path.Counter,
	}
	if r.Path.HasInstance {
		name := r.Path.InstanceText()
		if r.Parent != "" {
			name = strings.TrimPrefix(name, r.Parent+"/")
		}
		shape.Instance = &name
	}
	if !r.Time.IsZero() {
		if d := at.Sub(r.Time); d >= 100*time.Millisecond {
			shape.Age = d.Seconds()
		}
	}
	if text, ok := r.Value.AsText(); ok && r.Status == counter.OK {
		shape.Text = &text
	} else if r.Status == counter.OK {
		shape.Value = r.Value // through its MarshalJSON
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(shape); err != nil {
		t.Fatal(err)
	}
	var escaped strings.Builder
	if _, err := safetext.NewJSON(&escaped).Write(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	return escaped.String()
}

func TestJSONL(t *testing.T) {
	got := render(t, plainJSONL, everyStatus())
	head := `{"time":"2026-03-01T09:30:00.1234567Z","path":"\\\\HOST\\Memory\\`
	want := head + `Available Bytes","value":18446744073709551615,"unit":"count","status":"ok","object":"Memory","counter":"Available Bytes"}
` + head + `Flags","value":48879,"unit":"count","status":"ok","object":"Memory","counter":"Flags"}
` + head + `Mask","value":48879,"unit":"count","status":"ok","object":"Memory","counter":"Mask"}
` + head + `Pages/sec","value":1234.5,"unit":"per_second","status":"ok","object":"Memory","counter":"Pages/sec"}
` + head + `Broken","value":null,"unit":"percent","status":"ok","object":"Memory","counter":"Broken"}
` + head + `Owner","value":null,"text":"say \"hi\",\t名前","unit":"text","status":"ok","object":"Memory","counter":"Owner"}
` + head + `Nothing","value":null,"unit":"none","status":"ok","object":"Memory","counter":"Nothing"}
` + head + `Is no_previous","value":null,"unit":"per_second","status":"no_previous","object":"Memory","counter":"Is no_previous"}
` + head + `Is invalid_data","value":null,"unit":"per_second","status":"invalid_data","object":"Memory","counter":"Is invalid_data"}
` + head + `Is negative_denominator","value":null,"unit":"per_second","status":"negative_denominator","object":"Memory","counter":"Is negative_denominator"}
` + head + `Is negative_value","value":null,"unit":"per_second","status":"negative_value","object":"Memory","counter":"Is negative_value"}
` + head + `Is negative_timebase","value":null,"unit":"per_second","status":"negative_timebase","object":"Memory","counter":"Is negative_timebase"}
` + head + `Is no_instance","value":null,"unit":"per_second","status":"no_instance","object":"Memory","counter":"Is no_instance"}
` + head + `Is no_counter","value":null,"unit":"per_second","status":"no_counter","object":"Memory","counter":"Is no_counter"}
` + head + `Is no_object","value":null,"unit":"per_second","status":"no_object","object":"Memory","counter":"Is no_object"}
` + head + `Is unsupported","value":null,"unit":"per_second","status":"unsupported","object":"Memory","counter":"Is unsupported"}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJSONLAsEncodingJSON(t *testing.T) {
	readings := everyStatus()
	for _, f := range []float64{
		0, math.Copysign(0, -1), 1, -1.5, 0.1, 1e-6, 9.99e-7, 1e-7, -1e-10, 1e20, 1e21, -2e21, 1e100,
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.Pi, math.Inf(1), math.Inf(-1),
	} {
		readings = append(readings, value(`\A\b`, counter.Float(f), counter.Percent))
	}
	for _, text := range []string{"", "<&>", "a\\b\"c", "\b\f\n\r\t\x00\x1f\x7f", "\u0085\u2028\u2029\uFFFD", "\xff\xe2\x80", "😀"} {
		readings = append(readings, value(`\A\b`, counter.Text(text), counter.TextUnit))
		readings = append(readings, winperf.Reading{Series: winperf.NewSeries(winperf.Path{Object: text, Counter: text})})
		child := winperf.NewSeries(winperf.Path{Object: "T", HasInstance: true, Instance: text + "/0", Index: 1, Counter: "c"})
		child.Parent = text
		readings = append(readings, winperf.Reading{Series: child})
	}
	at := time.Date(2026, 12, 31, 23, 59, 59, 0, time.FixedZone("", -5*3600)) // another year in UTC
	readings = taken(at, readings)
	for i, later := range []time.Duration{2 * time.Second, 0, -99 * time.Millisecond, -100 * time.Millisecond, -1234567 * time.Microsecond} {
		readings[i].Time = at.Add(later)
	}
	var out bytes.Buffer
	if err := plainJSONL(&out).Write(at, winperf.ColumnsOf(readings)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(out.String(), "\n")
	for i, r := range readings {
		if diff := cmp.Diff(reference(t, at, r), lines[i]); diff != "" {
			t.Error(diff)
		}
	}
	if len(lines) != len(readings)+1 {
		t.Errorf("%d lines, want %d", len(lines)-1, len(readings))
	}
}

func TestJSON(t *testing.T) {
	one := []winperf.Reading{value(`\A\b`, counter.Int(1), counter.Count)}
	for _, moments := range [][][]winperf.Reading{nil, {nil}, {one}, {nil, one}, {one, nil, everyStatus(), one}} {
		var want []winperf.Reading
		for _, readings := range moments {
			want = append(want, readings...)
		}
		got := render(t, plainJSON, moments...)
		var array []jsonShape
		if err := json.Unmarshal([]byte(got), &array); err != nil {
			t.Fatalf("%v in %s", err, got)
		}
		if array == nil || !strings.HasSuffix(got, "]\n") {
			t.Errorf("no array in lines: %q", got)
		}
		if len(array) != len(want) {
			t.Fatalf("%d readings, want %d", len(array), len(want))
		}
		for i, r := range want {
			if array[i].Path != r.Series.String() || array[i].Status != r.Status.String() {
				t.Errorf("reading %d is %v, want %v", i, array[i], r)
			}
		}
	}
}

// countingWriter counts bytes and remembers the largest write.
type countingWriter struct{ writes, largest int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	w.largest = max(w.largest, len(p))
	return len(p), nil
}

// TestJSONLMemory checks that a huge moment is not gathered whole.
func TestJSONLMemory(t *testing.T) {
	readings := make([]winperf.Reading, 10_000)
	for i := range readings {
		readings[i] = value(`\\HOST\Process(build)\ID Process`, counter.Int(1), counter.Count)
	}
	var w countingWriter
	if err := plainJSONL(&w).Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
		t.Fatal(err)
	}
	if w.largest > 2*flushAt || w.writes < 10 {
		t.Errorf("%d writes of up to %d bytes, want many of about %d", w.writes, w.largest, flushAt)
	}
}

func TestJSONLNoAllocations(t *testing.T) {
	var readings []winperf.Reading
	for i := range 100 {
		readings = append(readings, value(fmt.Sprintf(`\\HOST\A(b#%d)\c`, i+1), counter.Float(float64(i)/3), counter.Percent))
	}
	readings = append(readings, everyStatus()...)
	all, _ := fleeting(readings)
	s := plainJSONL(io.Discard)
	if allocs := testing.AllocsPerRun(10, func() {
		if err := s.Write(sampleTime, all); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a moment, want 0", allocs)
	}
}

// FuzzJSONString compares with encoding/json and, for text that is UTF-8,
// checks that the string reads back.
func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", `\\HOST\A(b)\c "d"`, "\x00\x1f\x7f\u2028\u2029", "\xff\xc0\x80\xed\xa0\x80", "😀<&>\uFFFD"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := value(`\A\b`, counter.Text(s), counter.TextUnit)
		var out bytes.Buffer
		if err := plainJSONL(&out).Write(sampleTime, winperf.ColumnsOf([]winperf.Reading{r})); err != nil {
			t.Fatal(err)
		}
		if want := reference(t, sampleTime, r); out.String() != want {
			t.Fatalf("got %s\nwant %s", out.String(), want)
		}
		var back string
		if err := json.Unmarshal(safetext.AppendJSON(nil, s), &back); err != nil {
			t.Fatal(err)
		}
		if valid := strings.ToValidUTF8(s, ""); valid == s && back != s {
			t.Errorf("%q reads back as %q", s, back)
		}
	})
}

// FuzzJSONNumber compares numbers with encoding/json.
func FuzzJSONNumber(f *testing.F) {
	for _, n := range []float64{0, 1e21, 1e-7, math.NaN(), math.MaxFloat64} {
		f.Add(math.Float64bits(n))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		for _, kind := range []counter.Kind{counter.KindFloat, counter.KindInt, counter.KindHex} {
			r := value(`\A\b`, counter.FromBits(kind, bits), counter.Count)
			var out bytes.Buffer
			if err := plainJSONL(&out).Write(sampleTime, winperf.ColumnsOf([]winperf.Reading{r})); err != nil {
				t.Fatal(err)
			}
			if want := reference(t, sampleTime, r); out.String() != want {
				t.Errorf("got %s\nwant %s", out.String(), want)
			}
		}
	})
}

// A reading that anomalies touched says so.
func TestJSONLAnomalies(t *testing.T) {
	r := winperf.Reading{Series: winperf.NewSeries(winperf.Path{Object: "System", Counter: "Processes"}), Value: counter.Int(7)}
	r.Anomalies = winperf.AnomalySet(0).With(winperf.ClockBack).With(winperf.BufferGrew)
	got := render(t, plainJSONL, []winperf.Reading{r})
	if want := `"value":7,"unit":"none","status":"ok","anomalies":["buffer_grew","clock_back"],"object":"System","counter":"Processes"}` + "\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want it to end in %s", got, want)
	}
}
