package metrics

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/frame"
)

// fakeScheme has what own names do not need: a family of several objects, values of several
// counters, and instances that are one by their labels.
type fakeScheme struct{}

func (fakeScheme) templates(o *layout) []template {
	if !strings.HasPrefix(o.Name, "TCP") {
		return nil
	}
	sent, received := o.find("segments SENT/sec"), o.find("Segments Received/sec")
	if sent < 0 || received < 0 || o.find("Segments/sec") >= 0 {
		return nil
	}

	af := []Label{{"af", strings.ToLower(o.Name[3:])}}
	sum := func(in *inputs, out *Column) {
		in.read(out, sent)
		for i, v := range in.second(out, received) {
			out.Bits[i] += v
		}
		out.Form = Whole
	}
	count := func(in *inputs, out *Column) { out.Form, out.Bits[0] = Whole, in.count() }
	first := &labelling{Labels: func(o frame.Object, i int, ls []Label) ([]Label, bool) {
		name := o.Labels().Name(i)
		return append(ls, Label{"nic", name[:1]}, Label{"empty", ""}), name != "hidden"
	}}
	return []template{
		{Name: "fake_segments_total", Type: Counter, Shared: true, Rows: first,
			Columns: []columnTemplate{{Extra: af, Counters: []int{sent, received}, Value: sum}}},
		{Name: "fake_instances", Type: Gauge, Shared: true, Columns: []columnTemplate{{Extra: af, Value: count}}},
	}
}

// TestScheme shows what a scheme can do in addition to winperf's own names.
func TestScheme(t *testing.T) {
	const object = "\n counter 12 PERF_COUNTER_COUNTER\n counter 14 PERF_COUNTER_COUNTER\n"
	const instances = ` instance "a1" : 4294967295 1` + "\n" + ` instance "a2" : 5 5` + "\n" + ` instance "hidden" : 6 6` + "\n" + ` instance "_Total" : 7 7` + "\n"
	head := func(missing string) string {
		return "object 10 missing=auto" + object + strings.Replace(instances, "5 5", missing, 1) +
			"object 20" + object + ` instance "b" : 1 2` + "\n" + "object 30" + object
	}
	n := names(t, map[uint32]string{10: "TCPv4", 20: "TCPv6", 30: "Else", 12: "Segments Sent/sec", 14: "Segments Received/sec"})
	m := NewMapper(Options{})
	m.schemes = append(m.schemes, fakeScheme{})
	fs := frames(t, at0+head("5 5"), at1+strings.Replace(head("?5 5"), "4294967295 1", "0 ?2", 1))

	var got [][]string
	for _, f := range fs {
		set := mapped(t, m, f, n)
		var native []string
		for _, line := range lines(set) {
			if strings.HasPrefix(line, "fake") {
				native = append(native, line)
			}
		}
		got = append(got, native)
		if last := set.Families[len(set.Families)-1]; last.Name != "fake_instances" || len(last.Columns) != 2 || last.Object != "TCPv4" {
			t.Errorf("last family: %+v", last)
		}
	}
	counts := []string{`fake_instances{af="v4"} 3`, `fake_instances{af="v6"} 1`}
	want := [][]string{
		append([]string{`fake_segments_total{nic="a",af="v4"} 4294967296`, `fake_segments_total{nic="b",af="v6"} 3`}, counts...),
		append([]string{`fake_segments_total{nic="b",af="v6"} 3`}, counts...), // one of the two is missing
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseScheme(t *testing.T) {
	for _, s := range []Scheme{Own, WindowsExporter, OTel} {
		if got, err := ParseScheme(s.String()); got != s || err != nil {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if got := [...]string{Own.String(), WindowsExporter.String(), OTel.String()}; got != schemeWords {
		t.Error(got)
	}
	if got, err := ParseScheme("own"); got != Own || err != nil {
		t.Errorf("own: %v, %v", got, err)
	}
	_, err := ParseScheme("windows-exporter")
	if !errors.Is(err, ErrScheme) || !strings.HasSuffix(err.Error(), "did you mean windows_exporter?") {
		t.Errorf("%v", err)
	}
	if _, err := ParseScheme("x"); !errors.Is(err, ErrScheme) || strings.Contains(err.Error(), "mean") {
		t.Errorf("%v", err)
	}
	if Scheme(99).String() != "unknown" {
		t.Error(Scheme(99))
	}
}
