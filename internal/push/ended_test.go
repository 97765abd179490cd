package push

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/sink/metrics"
)

// setAt is a Set at a second with a metric for each of some names. Rows with equal labels are not the
// same in two Sets.
func setAt(at int, names ...string) *metrics.Set {
	s := &metrics.Set{Time: time.Unix(int64(at), 0)}
	for _, name := range names {
		name, label, _ := strings.Cut(name, " ")
		var labels []metrics.Label
		if label != "" {
			labels = []metrics.Label{{Name: "l", Value: label}}
		}
		i := slices.IndexFunc(s.Families, func(f metrics.Family) bool { return f.Name == name })
		if i < 0 {
			i = len(s.Families)
			s.Families = append(s.Families, metrics.Family{Name: name})
		}
		c := metrics.Column{Rows: metrics.NewRows([][]metrics.Label{labels}, nil), Bits: []uint64{uint64(at)}}
		s.Families[i].Columns = append(s.Families[i].Columns, c)
	}
	return s
}

// said are the points of a receiver, as name{label} time and value or "ended", sorted.
func (r *receiver) said() string {
	var lines []string
	for _, p := range r.has() {
		name := strings.NewReplacer("__name__=", "", ",l=", ",", ",l", "").Replace(p.series)
		value := fmt.Sprint(p.value)
		if p.ended {
			value = "ended"
		}
		lines = append(lines, fmt.Sprintf("%d %s %s", p.ms, strings.Trim(name, ","), value))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestEnded checks that a series which a Set lacks, or that has ended with all others, is marked once,
// and continues after a gap.
func TestEnded(t *testing.T) {
	for name, r := range map[string]*receiver{
		"remote-write": newReceiver(t, takes), "otlp": newReceiver(t, takes), "1.0": newReceiver(t, old(415)),
	} {
		scheme := strings.Replace(name, "1.0", "remote-write", 1)
		s, err := NewSender(Target{URL: r.url(scheme)}, SenderOptions{MarkEnded: true})
		if err != nil {
			t.Fatal(err)
		}
		if name == "1.0" {
			_ = s.Flush(t.Context())
			_ = send(t.Context(), s, 0) // learns that the receiver is old
			s.Reset()
		}
		for at, names := range [][]string{
			{"x a", "x b", "y"}, {"x a", "y"}, {"x a", "y"}, {"x a", "x b"}, {"x b", "x a"},
		} {
			if _, err := s.Send(t.Context(), setAt(at+1, names...)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.End(t.Context()); err != nil {
			t.Fatal(err)
		}

		want := `1000 x,a 1
1000 x,b 1
1000 y 1
2000 x,a 2
2000 x,b ended
2000 y 2
3000 x,a 3
3000 y 3
4000 x,a 4
4000 x,b 4
4000 y ended
5000 x,a 5
5000 x,b 5
5001 x,a ended
5001 x,b ended`
		if diff := cmp.Diff(want, r.said()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		s.Close()
	}
}

// TestEndedAbsent checks series of unchanged rows, of a summary, and with a start time.
func TestEndedAbsent(t *testing.T) {
	labels := [][]metrics.Label{{{Name: "l", Value: "a"}}, {{Name: "l", Value: "b"}}}
	rows := metrics.NewRows(labels, []int64{0, 5e8})
	at := func(second int64, absent uint64) *metrics.Set {
		var cols []metrics.Column
		for _, suffix := range []string{"_sum", "_count"} {
			cols = append(cols, metrics.Column{
				Rows: rows, Suffix: suffix, Bits: []uint64{1, 2}, Absent: []uint64{absent},
				Extra: []metrics.Label{{Name: "k", Value: "v"}},
			})
		}
		return &metrics.Set{Time: time.Unix(second, 0), Families: []metrics.Family{
			{Name: "s", Type: metrics.Summary, Columns: cols},
		}}
	}

	r := newReceiver(t, takes)
	s, err := NewSender(Target{URL: r.url("remote-write")}, SenderOptions{MarkEnded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for second, absent := range []uint64{0, 2, 2} {
		if _, err := s.Send(t.Context(), at(int64(second), absent)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var ended []string
	for _, p := range r.has() {
		if p.ended {
			ended = append(ended, fmt.Sprint(p.ms, " ", p.series))
		}
	}
	want := []string{"1000 __name__=s_sum,k=v,l=b,", "1000 __name__=s_count,k=v,l=b,"}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	if set := keep(nil, at(1, 0)).ended(keep(nil, at(0, 2))); set != nil {
		t.Errorf("after the clock was set back: %+v", set)
	}

	// A summary of OpenTelemetry stays one metric.
	set := keep(nil, at(0, 0)).ended(keep(nil, at(1, 2)))
	cols := set.Families[0].Columns
	if created, known := cols[0].Rows.Created(0); len(cols) != 2 || cols[0].Rows != cols[1].Rows || !known || created.UnixNano() != 5e8 {
		t.Errorf("%+v", cols)
	}
}

// TestEndedAgain checks that what was not sent is compared again with the last Set that was: after
// Reset no series is marked that begins later.
func TestEndedAgain(t *testing.T) {
	status := http.StatusNoContent
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
		takes(w, q, points)
		return status
	})
	s, err := NewSender(Target{URL: r.url("remote-write"), RetryTimeout: time.Nanosecond}, SenderOptions{MarkEnded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sendAll := func(sets ...*metrics.Set) error {
		for _, set := range sets {
			if _, err := s.Send(t.Context(), set); err != nil {
				return err
			}
		}
		return s.Flush(t.Context())
	}
	if err := sendAll(setAt(1, "a", "b")); err != nil {
		t.Fatal(err)
	}
	status = http.StatusBadGateway
	if err := sendAll(setAt(2, "a"), setAt(3, "a", "c")); err == nil {
		t.Fatal("sent")
	}
	s.Reset()
	status = http.StatusNoContent
	if err := sendAll(setAt(2, "a"), setAt(3, "a", "c")); err != nil {
		t.Fatal(err)
	}
	want := "1000 a 1\n1000 b 1\n2000 a 2\n2000 b ended\n3000 a 3\n3000 c 3"
	if diff := cmp.Diff(want, r.said()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEndedInPrometheus(t *testing.T) {
	endedIn(t, dbtest.Prometheus(t), "remote-write+", "")
}

func TestEndedInCurrent(t *testing.T) {
	t.Run("remote write 2.0", func(t *testing.T) { endedIn(t, dbtest.CurrentPrometheus(t), "remote-write+", "") })
	t.Run("OTLP", func(t *testing.T) {
		endedIn(t, dbtest.CurrentPrometheus(t), "otlp+", "/api/v1/otlp/v1/metrics")
	})
}

// endedIn checks that a database has no value of an ended series, although its last sample is less than
// five minutes old, and no value of any series after the end of all.
func endedIn(t *testing.T, db *dbtest.Database, scheme, path string) {
	t.Helper()
	s, err := NewSender(Target{URL: scheme + db.URL + path}, SenderOptions{MarkEnded: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first := time.Now().Truncate(time.Second).Add(-2 * time.Minute)
	var sets []*metrics.Set
	for i, names := range [][]string{{"ended_series a", "ended_series b"}, {"ended_series a"}} {
		set := setAt(i+1, names...)
		set.Time = first.Add(time.Duration(i) * 15 * time.Second)
		sets = append(sets, set)
	}
	sendMany(t, s, sets)

	for _, tt := range []struct {
		after time.Duration
		want  map[string]float64
	}{
		{14 * time.Second, map[string]float64{"a": 1, "b": 1}},
		{15 * time.Second, map[string]float64{"a": 2}},
		{60 * time.Second, map[string]float64{"a": 2}},
	} {
		if got := labelled(t, db, first.Add(tt.after)); !maps.Equal(got, tt.want) {
			t.Errorf("after %v: %v, want %v", tt.after, got, tt.want)
		}
	}
	if err := s.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := labelled(t, db, first.Add(time.Minute)); len(got) > 0 {
		t.Errorf("after the end: %v", got)
	}
}

// labelled returns the values of ended_series at a time, by the label l.
func labelled(t *testing.T, db *dbtest.Database, at time.Time) map[string]float64 {
	t.Helper()
	list, err := db.QueryAt("ended_series", at)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, v := range list {
		got[v.Labels["l"]] = v.Value
	}
	return got
}
