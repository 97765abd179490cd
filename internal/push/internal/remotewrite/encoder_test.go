package remotewrite_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/s2"

	"github.com/winperf/winperf/internal/protobuf"
	"github.com/winperf/winperf/internal/push/internal/remotewrite"
	"github.com/winperf/winperf/sink/metrics"
)

var (
	taken   = time.Date(2026, 11, 23, 5, 0, 0, 123e6, time.UTC)
	earlier = taken.Add(-time.Minute)
	began   = taken.Add(-time.Hour)
)

// example is a Set with one of everything.
func example() *metrics.Set {
	rows := metrics.NewRows([][]metrics.Label{
		{{Name: "name", Value: "a"}, {Name: "pid", Value: "7"}},
		{{Name: "Zone", Value: "z"}, {Name: "name", Value: "b\xffc"}},
		{{Name: "name", Value: ""}},
	}, []int64{began.UnixNano(), 0, 0})
	single := metrics.NewRows([][]metrics.Label{nil}, nil)
	return &metrics.Set{Time: taken, Families: []metrics.Family{
		{
			Name: "winperf_process_processor_seconds_total", Type: metrics.Counter, Unit: "seconds", Help: "Time\xff.",
			Columns: []metrics.Column{{
				Rows: rows, Form: metrics.Ticks100ns, Bits: []uint64{15_000_001, 20_000_000, 7}, Absent: []uint64{4},
				Extra: []metrics.Label{{Name: "mode", Value: "user"}},
			}},
		},
		{
			Name: "winperf_memory_free_bytes", Type: metrics.Gauge, Unit: "bytes", Help: "Free.",
			Columns: []metrics.Column{{Rows: single, Form: metrics.Whole, Bits: []uint64{1 << 40}, Time: earlier}},
		},
		{
			Name: "winperf_disk_read_seconds", Type: metrics.Summary, Unit: "seconds",
			Columns: []metrics.Column{
				{Rows: single, Suffix: "_sum", Form: metrics.Float, Bits: []uint64{math.Float64bits(math.NaN())}},
				{Rows: single, Suffix: "_count", Form: metrics.Whole, Bits: []uint64{3}},
			},
		},
	}}
}

// wanted is what the example says, as lines.
const wanted = `%[1]s{__name__="winperf_process_processor_seconds_total",job="winperf",mode="user",name="a",pid="7"} 1.5000001 1795410000123%[2]s
%[1]s{Zone="z",__name__="winperf_process_processor_seconds_total",job="winperf",mode="user",name="b` + "\uFFFD" + `c"} 2 1795410000123%[3]s
%[1]s{__name__="winperf_memory_free_bytes",job="winperf"} 1.099511627776e+12 1795409940123%[4]s
%[1]s{__name__="winperf_disk_read_seconds_sum",job="winperf"} 7ff8000000000001 1795410000123%[5]s
%[1]s{__name__="winperf_disk_read_seconds_count",job="winperf"} 3 1795410000123%[5]s
`

func TestVersions(t *testing.T) {
	labels := []metrics.Label{{Name: "job", Value: "winperf"}, {Name: "name", Value: ""}}
	want := map[remotewrite.Version]string{
		remotewrite.V1: fmt.Sprintf(wanted, "", "", "", "", "") +
			"winperf_process_processor_seconds_total 1 Time\uFFFD. seconds\n" +
			"winperf_memory_free_bytes 2 Free. bytes\nwinperf_disk_read_seconds 5  seconds\n",
		remotewrite.V2: fmt.Sprintf(wanted, "", " from 1795406400123 1 Time\uFFFD. seconds", " 1 Time\uFFFD. seconds",
			" 2 Free. bytes", " 5  seconds"),
	}
	for version, want := range want {
		e := remotewrite.NewEncoder(remotewrite.Options{Version: version, Labels: labels})
		for round := range 3 {
			if round > 0 && version == remotewrite.V1 { // metadata comes once
				want = fmt.Sprintf(wanted, "", "", "", "", "")
			}
			got := encode(t, e, example())
			if diff := cmp.Diff(want, strings.Join(got, "")); diff != "" {
				t.Errorf("%v, round %d:\n%s", version, round, diff)
			}
		}
	}
}

// Each bound splits, and what comes is the same.
func TestSplit(t *testing.T) {
	set := example()
	for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
		whole := samplesIn(encode(t, remotewrite.NewEncoder(remotewrite.Options{Version: version}), set))
		for name, opt := range map[string]remotewrite.Options{
			"samples": {MaxSamples: 2}, "one sample": {MaxSamples: 1}, "bytes": {MaxBytes: 150}, "one byte": {MaxBytes: 1},
		} {
			opt.Version = version
			requests := encode(t, remotewrite.NewEncoder(opt), set)
			if len(requests) < 3 {
				t.Errorf("%v, %s: %d requests", version, name, len(requests))
			}
			if diff := cmp.Diff(whole, samplesIn(requests)); diff != "" {
				t.Errorf("%v, %s:\n%s", version, name, diff)
			}
		}
	}
}

// Several Sets are one request as long as it is not full, in their order.
func TestSeveralSets(t *testing.T) {
	for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
		e := remotewrite.NewEncoder(remotewrite.Options{Version: version})
		var want []string
		for i := range 30 { // more than rows are kept for
			set := example()
			set.Time = set.Time.Add(time.Duration(i) * time.Second)
			if err := e.Encode(set, func(*remotewrite.Request) error { return errors.New("not full") }); err != nil {
				t.Fatal(err)
			}
			single := encode(t, remotewrite.NewEncoder(remotewrite.Options{Version: version}), set)
			want = append(want, samplesIn(single)...)
		}
		got := samplesIn(flush(t, e, nil))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v:\n%s", version, diff)
		}
	}
}

// An error of send ends Encode, and nothing of the lost request is in the next one.
func TestSendFails(t *testing.T) {
	for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
		e := remotewrite.NewEncoder(remotewrite.Options{Version: version, MaxSamples: 2})
		failed := errors.New("failed")
		if err := e.Encode(example(), func(*remotewrite.Request) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("%v, want %v", err, failed)
		}
		if got := samplesIn(encode(t, e, example())); len(got) != 5 {
			t.Errorf("%v: %d samples, want 5: %q", version, len(got), got)
		}
	}
}

// What a request that was lost said about its metrics comes again.
func TestSendFailsMetadata(t *testing.T) {
	e := remotewrite.NewEncoder(remotewrite.Options{Version: remotewrite.V1})
	failed := errors.New("failed")
	none := func(*remotewrite.Request) error { return failed }
	if err := errors.Join(e.Encode(example(), none), e.Flush(none)); !errors.Is(err, failed) {
		t.Errorf("%v, want %v", err, failed)
	}
	want := encode(t, remotewrite.NewEncoder(remotewrite.Options{Version: remotewrite.V1}), example())
	if diff := cmp.Diff(want, encode(t, e, example())); diff != "" {
		t.Error(diff)
	}
}

// encode returns what the requests of a Set say, each as a text.
func encode(t testing.TB, e *remotewrite.Encoder, set *metrics.Set) (requests []string) {
	t.Helper()
	send := func(r *remotewrite.Request) error {
		requests = append(requests, text(t, r))
		return nil
	}
	if err := e.Encode(set, send); err != nil {
		t.Fatal(err)
	}
	return flush(t, e, requests)
}

func flush(t testing.TB, e *remotewrite.Encoder, requests []string) []string {
	t.Helper()
	err := e.Flush(func(r *remotewrite.Request) error {
		requests = append(requests, text(t, r))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

// samplesIn are the lines of samples, without what follows the time.
func samplesIn(requests []string) (samples []string) {
	for _, r := range requests {
		for line := range strings.Lines(r) {
			if end := strings.LastIndex(line, "} "); end >= 0 {
				fields := strings.Fields(line[end:])
				samples = append(samples, line[:end]+"} "+fields[1]+" "+fields[2])
			}
		}
	}
	return samples
}

// text reads a request and writes it as lines.
func text(t testing.TB, r *remotewrite.Request) string {
	t.Helper()
	body, err := s2.Decode(nil, r.Body)
	if err != nil || len(body) != r.Size {
		t.Fatalf("%d bytes, %v, want %d", len(body), err, r.Size)
	}
	d := decoder{t: t, version: r.Version}
	for _, f := range d.fields(body) {
		if r.Version == remotewrite.V2 && f.Number == 4 {
			d.symbols = append(d.symbols, string(f.Bytes))
		}
	}
	if r.Version == remotewrite.V2 && (len(d.symbols) == 0 || d.symbols[0] != "") {
		t.Errorf("the symbols are %q", d.symbols)
	}
	var lines strings.Builder
	for _, f := range d.fields(body) {
		switch {
		case f.Number == 1 || f.Number == 5:
			lines.WriteString(d.series(f.Bytes))
			r.Samples--
		case f.Number == 3 && r.Version == remotewrite.V1:
			m := d.message(f.Bytes)
			fmt.Fprintf(&lines, "%s %d %s %s\n", m[2].Bytes, m[1].Uint, m[4].Bytes, m[5].Bytes)
		}
	}
	if r.Samples != 0 {
		t.Errorf("the request says that it has %d samples more than it has", r.Samples)
	}
	return lines.String()
}

// decoder reads messages by the protocol's description.
type decoder struct {
	t       testing.TB
	version remotewrite.Version
	symbols []string
}

func (d *decoder) fields(b []byte) (all []protobuf.Field) {
	d.t.Helper()
	for len(b) > 0 {
		f, rest, err := protobuf.Next(b)
		if err != nil {
			d.t.Fatal(err)
		}
		all, b = append(all, f), rest
	}
	return all
}

// message returns fields by their numbers, none of which comes twice.
func (d *decoder) message(b []byte) map[uint32]protobuf.Field {
	m := map[uint32]protobuf.Field{}
	for _, f := range d.fields(b) {
		if _, twice := m[f.Number]; twice {
			d.t.Errorf("field %d comes twice", f.Number)
		}
		m[f.Number] = f
	}
	return m
}

// series writes a TimeSeries as a line.
func (d *decoder) series(b []byte) string {
	var names, labels []string
	var sample, meta map[uint32]protobuf.Field
	label := func(name, value string) {
		names = append(names, name)
		labels = append(labels, name+"="+strconv.Quote(value))
	}
	for _, f := range d.fields(b) {
		switch {
		case f.Number == 1 && d.version == remotewrite.V1:
			l := d.message(f.Bytes)
			label(string(l[1].Bytes), string(l[2].Bytes))
		case f.Number == 1:
			refs := d.packed(f.Bytes)
			for i := 0; i < len(refs); i += 2 {
				label(d.symbols[refs[i]], d.symbols[refs[i+1]])
			}
		case f.Number == 2:
			sample = d.message(f.Bytes)
		case f.Number == 5:
			meta = d.message(f.Bytes)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != len(labels) {
		d.t.Errorf("labels are not sorted, or come twice: %q", names)
	}

	value := fmt.Sprint(math.Float64frombits(sample[1].Uint))
	if value == "NaN" {
		value = fmt.Sprintf("%x", sample[1].Uint)
	}
	line := fmt.Sprintf("{%s} %s %d", strings.Join(labels, ","), value, sample[2].Uint)
	if start, ok := sample[3]; ok {
		line += fmt.Sprintf(" from %d", start.Uint)
	}
	if meta != nil {
		line += fmt.Sprintf(" %d %s %s", meta[1].Uint, d.symbols[meta[3].Uint], d.symbols[meta[4].Uint])
	}
	return line + "\n"
}

// packed reads integers that are without tags. A tag in front of each makes them fields.
func (d *decoder) packed(b []byte) (all []uint64) {
	for len(b) > 0 {
		f, rest, err := protobuf.Next(append([]byte{1 << 3}, b...))
		if err != nil {
			d.t.Fatal(err)
		}
		all, b = append(all, f.Uint), rest
	}
	return all
}

// What label values hold is there again, as far as it is UTF-8, and labels stay sorted.
func FuzzLabels(f *testing.F) {
	f.Add("name", "value", "mode", "user", "job", uint64(1), int64(1795410000123))
	f.Add("Upper", "a\"\\\n", "__z", "\xff", "_", uint64(1)<<63, int64(-1))
	f.Add("a", "", "a", "x", "a", uint64(0), int64(0))
	f.Fuzz(func(t *testing.T, name, value, extra, extraValue, all string, bits uint64, ms int64) {
		for _, name := range []string{name, extra, all} {
			if name == "__name__" || !legal.MatchString(name) {
				t.Skip("no label of a metric is called so")
			}
		}
		column := metrics.Column{
			Rows: metrics.NewRows([][]metrics.Label{{{Name: name, Value: value}}}, []int64{ms}),
			Form: metrics.Float, Bits: []uint64{bits}, Extra: []metrics.Label{{Name: extra, Value: extraValue}},
			Time: time.UnixMilli(ms).Add(1), // never the zero time
		}
		set := &metrics.Set{Time: taken, Families: []metrics.Family{{Name: "m", Columns: []metrics.Column{column}}}}

		var got [2]string
		for i, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
			opt := remotewrite.Options{Version: version, Labels: []metrics.Label{{Name: all, Value: "all"}}}
			got[i] = strings.Join(samplesIn(encode(t, remotewrite.NewEncoder(opt), set)), "")
		}
		if got[0] != got[1] {
			t.Errorf("version 1.0 says %q, 2.0 %q", got[0], got[1])
		}
		label := name + "=" + strconv.Quote(string([]rune(value)))
		if value != "" && !strings.Contains(got[0], label) {
			t.Errorf("%s lacks %s", got[0], label)
		}
	})
}

// legal are the names of labels.
var legal = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
