package prometheus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

var (
	moment  = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	earlier = moment.Add(-1500 * time.Millisecond)
)

// floats are the bits of numbers.
func floats(all ...float64) []uint64 {
	var bits []uint64
	for _, f := range all {
		bits = append(bits, math.Float64bits(f))
	}
	return bits
}

// exampleSet has one of everything.
func exampleSet() *metrics.Set {
	one := metrics.NewRows([][]metrics.Label{nil}, nil)
	processes := metrics.NewRows([][]metrics.Label{
		{{Name: "name", Value: "a"}, {Name: "pid", Value: "1"}},
		{{Name: "name", Value: `b\"` + "\n"}, {Name: "pid", Value: ""}},
		{{Name: "name", Value: "c"}},
	}, []int64{moment.Add(-time.Hour).UnixNano(), 0, moment.Add(-90 * time.Second).UnixNano()})
	extra := []metrics.Label{{Name: "mode", Value: "user"}}

	return &metrics.Set{Time: moment, Families: []metrics.Family{
		{Name: "no_columns", Type: metrics.Gauge},
		{Name: "no_rows", Type: metrics.Gauge, Columns: []metrics.Column{{Rows: metrics.NewRows(nil, nil)}}},
		{Name: "up", Type: metrics.Gauge, Help: "Help with \\, \" and\nlines.", Columns: []metrics.Column{{Rows: one, Bits: []uint64{7}}}},
		{
			Name: "cpu_seconds_total", Type: metrics.Counter, Unit: "seconds", Help: "Time.", Columns: []metrics.Column{
				{Rows: processes, Form: metrics.Ticks100ns, Extra: extra, Bits: []uint64{15_000_000, 0, 20_000_001}, Absent: []uint64{0b010}},
				{Rows: one, Form: metrics.Ticks100ns, Extra: extra, Bits: []uint64{5}, Time: earlier},
			},
		},
		{
			Name: "wait_seconds", Type: metrics.Summary, Unit: "seconds", Columns: []metrics.Column{
				{Rows: processes, Form: metrics.Float, Suffix: "_sum", Bits: floats(0.1, math.NaN(), 2)},
				{Rows: processes, Suffix: "_count", Bits: []uint64{1, 2, 3}, Absent: []uint64{0b100}},
				{Rows: processes, Extra: extra, Suffix: "_sum", Bits: []uint64{4, 5, 6}},
				{Rows: processes, Extra: extra, Suffix: "_count", Bits: []uint64{7, 8}},
			},
		},
		{Name: "os_info", Type: metrics.Info, Columns: []metrics.Column{{Rows: one, Extra: []metrics.Label{{Name: "version", Value: "10"}}, Bits: []uint64{1}}}},
		{Name: "load_ratio", Type: metrics.Gauge, Unit: "bytes", Columns: []metrics.Column{{Rows: one, Form: metrics.Float, Bits: floats(math.Inf(-1))}}},
		{Name: "odd", Type: metrics.Counter, Columns: []metrics.Column{{Rows: processes, Bits: []uint64{1, 2, 3}}}},
	}}
}

const wantText = `# HELP up Help with \\, " and\nlines.
# TYPE up gauge
up 7
# HELP cpu_seconds_total Time.
# TYPE cpu_seconds_total counter
cpu_seconds_total{mode="user",name="a",pid="1"} 1.5
cpu_seconds_total{mode="user",name="c"} 2.0000001
cpu_seconds_total{mode="user"} 0.0000005
# TYPE wait_seconds summary
wait_seconds_sum{name="a",pid="1"} 0.1
wait_seconds_count{name="a",pid="1"} 1
wait_seconds_sum{name="b\\\"\n"} NaN
wait_seconds_count{name="b\\\"\n"} 2
wait_seconds_sum{name="c"} 2
wait_seconds_sum{mode="user",name="a",pid="1"} 4
wait_seconds_count{mode="user",name="a",pid="1"} 7
wait_seconds_sum{mode="user",name="b\\\"\n"} 5
wait_seconds_count{mode="user",name="b\\\"\n"} 8
wait_seconds_sum{mode="user",name="c"} 6
# TYPE os_info gauge
os_info{version="10"} 1
# TYPE load_ratio gauge
load_ratio -Inf
# TYPE odd counter
odd{name="a",pid="1"} 1
odd{name="b\\\"\n"} 2
odd{name="c"} 3
`

const wantOpenMetrics = `# HELP up Help with \\, \" and\nlines.
# TYPE up gauge
up 7 1767323045.678
# HELP cpu_seconds Time.
# TYPE cpu_seconds counter
# UNIT cpu_seconds seconds
cpu_seconds_total{mode="user",name="a",pid="1"} 1.5 1767323045.678
cpu_seconds_created{mode="user",name="a",pid="1"} 1767319445.678 1767323045.678
cpu_seconds_total{mode="user",name="c"} 2.0000001 1767323045.678
cpu_seconds_created{mode="user",name="c"} 1767322955.678 1767323045.678
cpu_seconds_total{mode="user"} 0.0000005 1767323044.178
# TYPE wait_seconds summary
# UNIT wait_seconds seconds
wait_seconds_sum{name="a",pid="1"} 0.1 1767323045.678
wait_seconds_count{name="a",pid="1"} 1 1767323045.678
wait_seconds_created{name="a",pid="1"} 1767319445.678 1767323045.678
wait_seconds_sum{name="b\\\"\n"} NaN 1767323045.678
wait_seconds_count{name="b\\\"\n"} 2 1767323045.678
wait_seconds_sum{name="c"} 2 1767323045.678
wait_seconds_created{name="c"} 1767322955.678 1767323045.678
wait_seconds_sum{mode="user",name="a",pid="1"} 4 1767323045.678
wait_seconds_count{mode="user",name="a",pid="1"} 7 1767323045.678
wait_seconds_created{mode="user",name="a",pid="1"} 1767319445.678 1767323045.678
wait_seconds_sum{mode="user",name="b\\\"\n"} 5 1767323045.678
wait_seconds_count{mode="user",name="b\\\"\n"} 8 1767323045.678
wait_seconds_sum{mode="user",name="c"} 6 1767323045.678
wait_seconds_created{mode="user",name="c"} 1767322955.678 1767323045.678
# TYPE os info
os_info{version="10"} 1 1767323045.678
# TYPE load_ratio gauge
load_ratio -Inf 1767323045.678
# TYPE odd unknown
odd{name="a",pid="1"} 1 1767323045.678
odd{name="b\\\"\n"} 2 1767323045.678
odd{name="c"} 3 1767323045.678
# EOF
`

func encode(t testing.TB, opt Options, set *metrics.Set) string {
	t.Helper()
	var b bytes.Buffer
	if err := NewEncoder(opt).Encode(&b, set); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEncode(t *testing.T) {
	set := exampleSet()
	if diff := cmp.Diff(wantText, encode(t, Options{}, set)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	var zero bytes.Buffer
	if err := new(Encoder).Encode(&zero, set); err != nil || zero.String() != encode(t, Options{}, set) {
		t.Errorf("the zero Encoder: %v\n%s", err, &zero)
	}
	got := encode(t, Options{Format: OpenMetrics, Times: true, Created: true}, set)
	if diff := cmp.Diff(wantOpenMetrics, got); diff != "" {
		t.Errorf("OpenMetrics (-want +got):\n%s", diff)
	}
	if old := encode(t, Options{Format: OpenMetrics001, Times: true, Created: true}, set); old != got {
		t.Error("the versions of OpenMetrics differ")
	}

	for _, l := range strings.Split(encode(t, Options{Format: OpenMetrics}, set), "\n") {
		if strings.Contains(l, "_created") || strings.HasPrefix(l, "up ") && l != "up 7" {
			t.Errorf("without times there is %q", l)
		}
	}
	if err := NewEncoder(Options{Format: formats}).Encode(io.Discard, set); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("a format that there is not: %v", err)
	}

	set.TextOnly = true
	if diff := cmp.Diff(wantText, encode(t, Options{}, set)); diff != "" {
		t.Errorf("for text only (-want +got):\n%s", diff)
	}
	if err := NewEncoder(Options{Format: OpenMetrics}).Encode(io.Discard, set); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("OpenMetrics of what is for text only: %v", err)
	}
}

// What an Encoder keeps never shows: it writes what a new one would, whatever changed.
func TestEncodeChanges(t *testing.T) {
	set := exampleSet()
	reversed := *set
	reversed.Families = nil
	for i := range set.Families {
		reversed.Families = append(reversed.Families, set.Families[len(set.Families)-1-i])
	}
	other := exampleSet() // other rows
	for i := range other.Families {
		f := &other.Families[i]
		f.Help += " More."
		for k := range f.Columns {
			c := &f.Columns[k]
			c.Extra = append([]metrics.Label{{Name: "disk", Value: fmt.Sprint(i, k)}}, c.Extra...)
		}
	}
	fewer := *set
	fewer.Families = set.Families[2:4]

	for _, format := range []Format{Text, OpenMetrics} {
		opt := Options{Format: format}
		e := NewEncoder(opt)
		for i, s := range []*metrics.Set{set, set, &reversed, other, &metrics.Set{}, &fewer, set, &fewer, &reversed} {
			var got bytes.Buffer
			if err := e.Encode(&got, s); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(encode(t, opt, s), got.String()); diff != "" {
				t.Fatalf("set %d (-new encoder +this one):\n%s", i, diff)
			}
		}
		if len(e.labels) != 2 || len(e.heads) != len(set.Families) {
			t.Errorf("the encoder keeps %d rows and %d heads", len(e.labels), len(e.heads))
		}
	}
}

func TestEncodeAllocatesNothing(t *testing.T) {
	set := exampleSet()
	for _, opt := range []Options{{}, {Format: OpenMetrics, Times: true}} {
		e := NewEncoder(opt)
		if n := testing.AllocsPerRun(10, func() { _ = e.Encode(io.Discard, set) }); n > 0 {
			t.Errorf("%+v: %v allocations", opt, n)
		}
	}
}

// failing is a writer that fails after some bytes.
type failing struct{ left, calls int }

func (w *failing) Write(b []byte) (int, error) {
	w.calls++
	if w.left -= len(b); w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

func TestEncodeFails(t *testing.T) {
	set := benchSet(10_000, metrics.Whole)
	e := NewEncoder(Options{})
	for _, left := range []int{0, bufferSize, 3 * bufferSize} {
		w := &failing{left: left}
		if err := e.Encode(w, set); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%d bytes: %v", left, err)
		}
		if w.calls > left/bufferSize+2 {
			t.Errorf("%d bytes: %d writes, some after the error", left, w.calls)
		}
	}
	var b bytes.Buffer
	if err := e.Encode(&b, set); err != nil || b.String() != encode(t, Options{}, set) {
		t.Errorf("after errors: %v", err)
	}
}

// largest is a writer that remembers the largest piece.
type largest struct {
	bytes.Buffer
	most int
}

func (w *largest) Write(b []byte) (int, error) {
	w.most = max(w.most, len(b))
	return w.Buffer.Write(b)
}

// Text of any length goes through a buffer of fixed size, unless a line is longer.
func TestEncodeLong(t *testing.T) {
	var w largest
	if err := NewEncoder(Options{}).Encode(&w, benchSet(100_000, metrics.Whole)); err != nil || w.most > bufferSize {
		t.Errorf("a write of %d bytes, %v", w.most, err)
	}

	long := strings.Repeat("x", 3*bufferSize)
	rows := metrics.NewRows([][]metrics.Label{{{Name: "a", Value: "1"}}, {{Name: "a", Value: long}}}, nil)
	set := &metrics.Set{Families: []metrics.Family{
		{Name: "m", Help: long, Columns: []metrics.Column{{Rows: rows, Bits: []uint64{5, 6}}}},
		{Name: "n", Columns: []metrics.Column{{Rows: rows, Extra: []metrics.Label{{Name: "b", Value: long}}, Bits: []uint64{7}}}},
	}}
	heads, samples, err := parse(encode(t, Options{}, set))
	if err != nil || len(heads) != 3 || heads[0] != "# HELP m "+long || len(samples) != 3 {
		t.Fatalf("%d heads, %d samples, %v", len(heads), len(samples), err)
	}
	if s := samples[1]; s.labels["a"] != long || s.value != 6 || samples[2].labels["b"] != long {
		t.Error("long labels came back wrong")
	}
}

// FuzzLabels writes labels of any bytes and reads them back.
func FuzzLabels(f *testing.F) {
	for _, s := range []string{"", "plain", `\"`, "a\nb\r\n", "\x00", "ü\xff\xc3", "\xed\xa0\x80", "}", `",x="`, "# EOF\n"} {
		f.Add(s, "other", uint64(1))
	}
	f.Fuzz(func(t *testing.T, a, b string, bits uint64) {
		rows := metrics.NewRows([][]metrics.Label{{{Name: "a", Value: a}, {Name: "b", Value: b}}}, nil)
		set := &metrics.Set{Time: moment, Families: []metrics.Family{{
			Name: "m", Help: a, Columns: []metrics.Column{
				{Rows: rows, Extra: []metrics.Label{{Name: "c", Value: b}}, Form: metrics.Form(bits % 3), Bits: []uint64{bits}},
			},
		}}}
		want := map[string]string{}
		for name, value := range map[string]string{"a": a, "b": b, "c": b} {
			if value != "" {
				want[name] = readable(value)
			}
		}

		for _, format := range []Format{Text, OpenMetrics} {
			heads, samples, err := parse(strings.TrimSuffix(encode(t, Options{Format: format}, set), "# EOF\n"))
			if err != nil || len(samples) != 1 || len(heads) > 2 {
				t.Fatalf("%d heads, %d samples, %v", len(heads), len(samples), err)
			}
			if diff := cmp.Diff(want, samples[0].labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		}
	})
}

// readable is a text as the formats can hold it, by another way than the encoder's.
func readable(text string) string { return string([]rune(text)) }
