package otlp_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/push/internal/otlp"
	"github.com/winperf/winperf/sink/metrics"
)

var (
	taken = time.Date(2026, 11, 23, 5, 0, 0, 123, time.UTC)
	began = taken.Add(-time.Hour)
)

// example is a Set with one of everything.
func example() *metrics.Set {
	rows := metrics.NewRows([][]metrics.Label{
		{{Name: "name", Value: "a"}, {Name: "pid", Value: "7"}}, {{Name: "name", Value: "b\xffc"}}, nil,
	}, []int64{began.UnixNano(), 0, 0})
	single := metrics.NewRows([][]metrics.Label{nil}, nil)
	numbered := metrics.NewRows([][]metrics.Label{
		{{Name: "cpu.logical_number", Value: "3"}, {Name: "process.pid", Value: "x"}},
	}, nil)
	bits := math.Float64bits
	return &metrics.Set{Time: taken, Families: []metrics.Family{
		{
			Name: "winperf_process_processor_seconds_total", Type: metrics.Counter, Unit: "seconds", Help: "Time.",
			Columns: []metrics.Column{{
				Rows: rows, Form: metrics.Ticks100ns, Bits: []uint64{15_000_001, 20_000_000, 7}, Absent: []uint64{4},
				Extra: []metrics.Label{{Name: "mode", Value: "user"}},
			}},
		},
		{
			Name: "system.memory.usage", Type: metrics.Gauge, Additive: true, Unit: "By", Help: "Used\xff\xfe.",
			Columns: []metrics.Column{{Rows: single, Bits: []uint64{1 << 40}, Time: taken.Add(-time.Minute)}},
		},
		{
			Name: "system.cpu.frequency", Unit: "Hz",
			Columns: []metrics.Column{{Rows: numbered, Bits: []uint64{4_000_000_000}}},
		},
		{
			Name: "winperf_reads_total", Type: metrics.Counter,
			Columns: []metrics.Column{{Rows: single, Bits: []uint64{math.MaxUint64}}},
		},
		{
			Name: "winperf_idle_ratio", Type: metrics.Gauge, Unit: "ratio",
			Columns: []metrics.Column{{Rows: single, Form: metrics.Float, Bits: []uint64{bits(0.25)}}},
		},
		{
			Name: "winperf_disk_read_seconds", Type: metrics.Summary, Unit: "seconds",
			Columns: []metrics.Column{
				{Rows: rows, Suffix: "_count", Bits: []uint64{3, 4, 5}, Absent: []uint64{2}},
				{Rows: rows, Suffix: "_sum", Form: metrics.Float, Bits: []uint64{bits(1.5), bits(2), bits(3)}, Absent: []uint64{4}},
				{Rows: single, Suffix: "_sum", Form: metrics.Float, Bits: []uint64{bits(9)}},
			},
		},
		{
			Name: "winperf_os_info", Type: metrics.Info,
			Columns: []metrics.Column{{Rows: single, Bits: []uint64{1}, Extra: []metrics.Label{{Name: "version", Value: "10"}}}},
		},
		{Name: "winperf_bandwidth_bytes_per_second", Unit: "bytes_per_second", Columns: []metrics.Column{{Rows: single, Bits: []uint64{2}}}},
		{Name: "system.bandwidth", Unit: "bytes_per_second", Columns: []metrics.Column{{Rows: single, Bits: []uint64{3}}}},
		{Name: "winperf_nothing", Columns: []metrics.Column{{Rows: single, Bits: []uint64{1}, Absent: []uint64{1}}}},
	}}
}

// wanted is what the example says, as lines. Times are those of taken but for what is said.
const wanted = `sum winperf_process_processor_seconds "Time." s {"mode"="user" "name"="a" "pid"="7"} 1.5000001 from -1h0m0s
sum winperf_process_processor_seconds "Time." s {"mode"="user" "name"="b` + "\uFFFD" + `c"} 2
up-down system.memory.usage "Used` + "\uFFFD\uFFFD" + `." By {} 1099511627776 at -1m0s
gauge system.cpu.frequency "" Hz {"cpu.logical_number"=3 "process.pid"="x"} 4000000000
sum winperf_reads "" _ {} 1.8446744073709552e+19
gauge winperf_idle_ratio "" 1 {} 0.25
summary winperf_disk_read_seconds "" s {"name"="a" "pid"="7"} 3 1.5 from -1h0m0s
sum winperf_disk_read_seconds_sum "" s {} 9
gauge winperf_os_info "" _ {"version"="10"} 1
gauge winperf_bandwidth_bytes_per_second "" _ {} 2
gauge system.bandwidth "" By/s {} 3
`

func TestEncode(t *testing.T) {
	e := otlp.NewEncoder(otlp.Options{
		Version:  "1.2",
		Resource: []metrics.Label{{Name: "service.name", Value: "winperf"}, {Name: "host.name", Value: "HOST"}},
	})
	want := `{"host.name"="HOST" "service.name"="winperf"} winperf 1.2` + "\n" + wanted
	for round := range 3 {
		if diff := cmp.Diff(want, strings.Join(encode(t, e, example()), "")); diff != "" {
			t.Errorf("round %d:\n%s", round, diff)
		}
	}
}

// Each bound splits, and what comes is the same.
func TestSplit(t *testing.T) {
	for name, opt := range map[string]otlp.Options{
		"points": {MaxPoints: 2}, "one point": {MaxPoints: 1}, "bytes": {MaxBytes: 150}, "one byte": {MaxBytes: 1},
	} {
		requests := encode(t, otlp.NewEncoder(opt), example())
		all := strings.ReplaceAll(strings.Join(requests, ""), "{} winperf \n", "")
		if diff := cmp.Diff(wanted, all); diff != "" || len(requests) < 3 {
			t.Errorf("%s: %d requests\n%s", name, len(requests), diff)
		}
	}
}

// Series of several machines: each has the resource of its own, wherever it is among others and however
// requests are divided.
func TestMachines(t *testing.T) {
	on := func(machine, name string) []metrics.Label {
		return []metrics.Label{{Name: "instance", Value: machine}, {Name: "name", Value: name}}
	}
	mixed := metrics.NewRows([][]metrics.Label{
		on("WEB1", "a"), on("WEB2", "a"), on("", "a"), on("WEB2", "b"), on("WEB1", "b"), on("WEB3", "gone"),
	}, nil)
	set := &metrics.Set{Time: taken, Families: []metrics.Family{
		{Name: "x", Columns: []metrics.Column{{Rows: mixed, Bits: []uint64{1, 2, 3, 4, 5, 6}, Absent: []uint64{1 << 5}}}},
		{Name: "y", Columns: []metrics.Column{{Rows: metrics.NewRows([][]metrics.Label{nil}, nil), Bits: []uint64{7}}}},
	}}
	want := []string{
		`HOME gauge x "" _ {"name"="a"} 3`, `HOME gauge y "" _ {} 7`,
		`WEB1 gauge x "" _ {"name"="a"} 1`, `WEB1 gauge x "" _ {"name"="b"} 5`,
		`WEB2 gauge x "" _ {"name"="a"} 2`, `WEB2 gauge x "" _ {"name"="b"} 4`,
	}

	for name, opt := range map[string]otlp.Options{
		"one": {}, "points": {MaxPoints: 2}, "bytes": {MaxBytes: 100}, "one byte": {MaxBytes: 1},
	} {
		opt.Machine, opt.PerMachine = "instance", []string{"host.name"}
		opt.Resource = []metrics.Label{{Name: "host.name", Value: "HOME"}, {Name: "service.name", Value: "winperf"}}
		e := otlp.NewEncoder(opt)
		for round := range 3 {
			var got []string
			requests := encode(t, e, set)
			for _, request := range requests {
				machine := ""
				for line := range strings.Lines(request) {
					line = strings.TrimSpace(line)
					if m := regexp.MustCompile(`^{"host.name"="(\w+)" "service.name"="winperf"}`).FindStringSubmatch(line); m != nil {
						machine = m[1]
					} else {
						got = append(got, machine+" "+line)
					}
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || (name == "one") != (len(requests) == 1) {
				t.Errorf("%s, round %d: %d requests\n%s", name, round, len(requests), diff)
			}
		}
	}
}

// More machines than an Encoder remembers: each request has all of them all the same.
func TestManyMachines(t *testing.T) {
	const machines = 250
	e := otlp.NewEncoder(otlp.Options{Machine: "instance", PerMachine: []string{"host.name"}})
	for round := range 3 {
		var labels [][]metrics.Label
		bits := make([]uint64, machines)
		for i := range machines {
			labels = append(labels, []metrics.Label{{Name: "instance", Value: fmt.Sprintf("M%d", i)}})
			bits[i] = uint64(1000*round + i)
		}
		set := &metrics.Set{Time: taken, Families: []metrics.Family{
			{Name: "x", Columns: []metrics.Column{{Rows: metrics.NewRows(labels, nil), Bits: bits}}},
		}}

		var got, want []string
		for line := range strings.Lines(strings.Join(encode(t, e, set), "")) {
			got = append(got, strings.TrimSpace(line))
		}
		for i, value := range bits {
			want = append(want, fmt.Sprintf(`{"host.name"="M%d"} winperf`, i), fmt.Sprintf(`gauge x "" _ {} %d`, value))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("round %d: %s", round, diff)
		}
	}
}

// An error of send ends Encode, and nothing of the lost request is in the next one.
func TestSendFails(t *testing.T) {
	e := otlp.NewEncoder(otlp.Options{MaxPoints: 2})
	failed := errors.New("failed")
	if err := e.Encode(example(), func(*otlp.Request) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v, want %v", err, failed)
	}
	all := strings.ReplaceAll(strings.Join(encode(t, e, example()), ""), "{} winperf \n", "")
	if diff := cmp.Diff(wanted, all); diff != "" {
		t.Error(diff)
	}
}

// encode returns what the requests of a Set say, each as a text.
func encode(t testing.TB, e *otlp.Encoder, set *metrics.Set) (requests []string) {
	t.Helper()
	send := func(r *otlp.Request) error {
		d := decoder{t: t}
		requests = append(requests, d.request(r.Body))
		if d.points != r.Points {
			t.Errorf("%d points, want %d", d.points, r.Points)
		}
		return nil
	}
	if err := errors.Join(e.Encode(set, send), e.Flush(send), e.Flush(send)); err != nil {
		t.Fatal(err)
	}
	return requests
}

// decoder reads messages by the protocol's description.
type decoder struct {
	t      testing.TB
	points int
}

// fields returns the fields of a message by their numbers.
func (d *decoder) fields(b []byte) map[uint32][]protobuf.Field {
	d.t.Helper()
	all := map[uint32][]protobuf.Field{}
	for len(b) > 0 {
		f, rest, err := protobuf.Next(b)
		if err != nil {
			d.t.Fatal(err)
		}
		all[f.Number], b = append(all[f.Number], f), rest
	}
	return all
}

// one is the only field of a number, or the zero Field.
func (d *decoder) one(m map[uint32][]protobuf.Field, number uint32) protobuf.Field {
	if len(m[number]) > 1 {
		d.t.Errorf("field %d comes %d times", number, len(m[number]))
	}
	return append(m[number], protobuf.Field{})[0]
}

func (d *decoder) request(b []byte) (text string) {
	for _, one := range d.fields(b)[1] {
		metricsOf := d.fields(one.Bytes)
		scope := d.fields(d.one(metricsOf, 2).Bytes)
		who := d.fields(d.one(scope, 1).Bytes)
		resource := d.fields(d.one(metricsOf, 1).Bytes)
		text += fmt.Sprintf("%s %s %s\n", d.attributes(resource[1]), d.one(who, 1).Bytes, d.one(who, 2).Bytes)
		for _, m := range scope[2] {
			text += d.metric(d.fields(m.Bytes))
		}
	}
	return text
}

func (d *decoder) attributes(all []protobuf.Field) string {
	var texts []string
	for _, f := range all {
		m := d.fields(f.Bytes)
		value := d.fields(d.one(m, 2).Bytes)
		if len(value[3]) > 0 {
			texts = append(texts, fmt.Sprintf("%q=%d", d.one(m, 1).Bytes, d.one(value, 3).Uint))
			continue
		}
		texts = append(texts, fmt.Sprintf("%q=%q", d.one(m, 1).Bytes, d.one(value, 1).Bytes))
	}
	return "{" + strings.Join(texts, " ") + "}"
}

func (d *decoder) metric(m map[uint32][]protobuf.Field) (text string) {
	for number, kind := range map[uint32]string{5: "gauge", 7: "sum", 11: "summary"} {
		if len(m[number]) == 0 {
			continue
		}
		of := d.fields(d.one(m, number).Bytes)
		if kind == "sum" != (d.one(of, 2).Uint == 2) || kind != "sum" && len(of[3]) > 0 {
			d.t.Errorf("a %s has temporality %v and monotonic %v", kind, of[2], of[3])
		}
		if kind == "sum" && d.one(of, 3).Uint == 0 {
			kind = "up-down"
		}
		unit := string(d.one(m, 3).Bytes)
		if unit == "" {
			unit = "_"
		}
		for _, p := range of[1] {
			text += fmt.Sprintf("%s %s %q %s ", kind, d.one(m, 1).Bytes, d.one(m, 2).Bytes, unit)
			text += d.point(kind, d.fields(p.Bytes)) + "\n"
			d.points++
		}
	}
	return text
}

func (d *decoder) point(kind string, p map[uint32][]protobuf.Field) string {
	text := d.attributes(p[7])
	switch {
	case kind == "summary":
		text += fmt.Sprintf(" %d %v", d.one(p, 4).Uint, math.Float64frombits(d.one(p, 5).Uint))
	case len(p[6]) > 0:
		text += fmt.Sprintf(" %d", int64(d.one(p, 6).Uint))
	default:
		text += fmt.Sprintf(" %v", math.Float64frombits(d.one(p, 4).Uint))
	}
	for i, word := range []string{"from", "at"} {
		number := uint32(2 + i)
		if len(p[number]) > 0 {
			at := time.Unix(0, int64(d.one(p, number).Uint))
			if !at.Equal(taken) {
				text += fmt.Sprintf(" %s %v", word, at.Sub(taken))
			}
		} else if number == 3 {
			d.t.Error("a point has no time")
		}
	}
	return text
}

// TestStarts: without a known start, a counter began at the time of the first Set; an older point began at its
// own time.
func TestStarts(t *testing.T) {
	rows := metrics.NewRows([][]metrics.Label{nil}, nil)
	e := otlp.NewEncoder(otlp.Options{})
	for _, tt := range []struct {
		at   time.Time
		want string
	}{
		{taken.Add(-time.Hour), ` from -1h0m0s at -1h0m0s`}, {taken, ` from -1h0m0s`},
		{taken.Add(-2 * time.Hour), ` from -2h0m0s at -2h0m0s`}, {taken.Add(time.Hour), ` from -1h0m0s at 1h0m0s`},
	} {
		set := &metrics.Set{Time: tt.at, Families: []metrics.Family{
			{Name: "m_total", Type: metrics.Counter, Columns: []metrics.Column{{Rows: rows, Bits: []uint64{7}}}},
			{Name: "g", Columns: []metrics.Column{{Rows: rows, Bits: []uint64{8}}}},
		}}
		got := strings.Join(encode(t, e, set), "")
		_, gauge, _ := strings.Cut(got, "gauge")
		if !strings.Contains(got, `sum m "" _ {} 7`+tt.want+"\n") || strings.Contains(gauge, "from") {
			t.Errorf("%v:\n%swant %s", tt.at, got, tt.want)
		}
	}
}

// TestSchema: requests with names of the semantic conventions have the URL of their schema, others have none.
func TestSchema(t *testing.T) {
	rows := metrics.NewRows([][]metrics.Label{nil}, nil)
	for name, want := range map[string]string{"winperf_memory_free_bytes": "", "system.uptime": "https://opentelemetry.io/schemas/1.43.0"} {
		set := &metrics.Set{Time: taken, Families: []metrics.Family{{Name: name, Columns: []metrics.Column{{Rows: rows, Bits: []uint64{7}}}}}}
		d := decoder{t: t}
		send := func(r *otlp.Request) error {
			resource := d.fields(d.one(d.fields(r.Body), 1).Bytes)
			scope := d.fields(d.one(resource, 2).Bytes)
			if got := string(d.one(resource, 3).Bytes); got != want {
				t.Errorf("%s: resource %q, want %q", name, got, want)
			}
			if got := string(d.one(scope, 3).Bytes); got != want {
				t.Errorf("%s: scope %q, want %q", name, got, want)
			}
			return nil
		}
		e := otlp.NewEncoder(otlp.Options{})
		if err := errors.Join(e.Encode(set, send), e.Flush(send)); err != nil {
			t.Fatal(err)
		}
	}
}

// A time that no number of nanoseconds can say is not known, and no other one.
func TestFarTimes(t *testing.T) {
	rows := metrics.NewRows([][]metrics.Label{nil}, nil)
	for at, want := range map[time.Time]int64{
		time.Date(30000, 1, 1, 0, 0, 0, 0, time.UTC): 0, winperf.FromFiletime(0): 0, winperf.FromFiletime(1 << 62): 0,
		time.Unix(0, 0): 0, time.Unix(9e9, 123): 9e18 + 123, taken: taken.UnixNano(),
	} {
		set := &metrics.Set{Time: at, Families: []metrics.Family{{Name: "m", Columns: []metrics.Column{
			{Rows: rows, Bits: []uint64{7}},
		}}}}
		got := strings.Join(encode(t, otlp.NewEncoder(otlp.Options{}), set), "")
		text := "gauge m \"\" _ {} 7"
		if d := time.Unix(0, want).Sub(taken); d != 0 {
			text += fmt.Sprintf(" at %v", d)
		}
		if !strings.HasSuffix(got, text+"\n") {
			t.Errorf("%v: %s, want %s", at, got, text)
		}
	}
}

// BenchmarkEncode is the cost of a data point. The same with the encoder of OpenTelemetry is
// in sink/remotewrite/internal/benchref.
func BenchmarkEncode(b *testing.B) {
	const rows, counters = 400, 25
	var labels [][]metrics.Label
	bits := make([]uint64, rows)
	for i := range rows {
		labels = append(labels, []metrics.Label{{Name: "name", Value: fmt.Sprintf("process%d", i)}})
	}
	set := &metrics.Set{Time: taken}
	of := metrics.NewRows(labels, nil)
	for k := range counters {
		set.Families = append(set.Families, metrics.Family{
			Name: fmt.Sprintf("winperf_process_counter_%d_seconds_total", k), Type: metrics.Counter, Unit: "seconds",
			Columns: []metrics.Column{{Rows: of, Form: metrics.Ticks100ns, Bits: bits}},
		})
	}

	e := otlp.NewEncoder(otlp.Options{})
	send := func(*otlp.Request) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		if err := errors.Join(e.Encode(set, send), e.Flush(send)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*counters), "ns/point")
}

// What label values hold is there again, as far as it is UTF-8.
func FuzzAttributes(f *testing.F) {
	f.Add("name", "value", uint64(1))
	f.Add("a.b", "\xff\x00\n", uint64(1)<<63)
	f.Fuzz(func(t *testing.T, name, value string, bits uint64) {
		rows := metrics.NewRows([][]metrics.Label{{{Name: name, Value: value}}}, nil)
		set := &metrics.Set{Time: taken, Families: []metrics.Family{
			{Name: "m", Columns: []metrics.Column{{Rows: rows, Bits: []uint64{bits}}}},
		}}
		got := strings.Join(encode(t, otlp.NewEncoder(otlp.Options{}), set), "")
		want := fmt.Sprintf("{%q=%q} ", name, string([]rune(value)))
		if name == "process.pid" || name == "cpu.logical_number" {
			want = "" // may be an integer, which TestEncode shows
		}
		if value != "" && !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	})
}
