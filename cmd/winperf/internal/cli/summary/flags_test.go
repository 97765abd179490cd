package summary

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/stats"
)

func TestPercentiles(t *testing.T) {
	twenty := "0"
	for i := 1; i < 20; i++ {
		twenty += fmt.Sprint(",", i)
	}
	for _, tt := range []struct{ text, want string }{
		{"50", "50"}, {"p95, 99.9", "95,99.9"}, {"0,100", "0,100"}, {"5,5,p5", "5"}, {twenty, twenty}, {twenty + ",19", twenty},
		{twenty + ",20", ""}, {"-1", ""}, {"100.1", ""}, {"NaN", ""}, {"a", ""}, {"", ""}, {"50,", ""},
	} {
		var v percentiles
		err := v.Set(tt.text)
		if (err != nil) != (tt.want == "") || v.String() != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.text, v.String(), err, tt.want)
		}
	}
}

func TestBound(t *testing.T) {
	for text, ok := range map[string]bool{"-1.5": true, "0": true, "1e3": true, "NaN": false, "Inf": false, "-inf": false, "a": false, "": false} {
		var v bound
		err := v.Set(text)
		if (err == nil) != ok || (v.value != nil) != ok {
			t.Errorf("%q: %v, %v", text, v.String(), err)
		}
	}
}

// TestSortKey: a key may be shortened as long as it is one of them, and rows must have it.
func TestSortKey(t *testing.T) {
	for _, tt := range []struct {
		text    string
		bounded bool
		want    string // "!" for an error
	}{
		{"", false, ""}, {"max", false, "maximum"}, {"Total", false, "total"}, {"coun", false, "!"}, {"counter", false, "counter"},
		{"p95", false, "p95"}, {"p42", false, "!"}, {"m", false, "!"}, {"above", false, "!"}, {"longest", false, "!"},
		{"above", true, "above"}, {"longest", true, "longest"}, {"x", true, "!"},
	} {
		var v sortKey
		if err := v.Set(tt.text); err != nil {
			t.Fatal(err)
		}
		if err := v.check(tt.bounded, defaultPercentiles); (err != nil) != (tt.want == "!") || err == nil && v.String() != tt.want {
			t.Errorf("%q: %q, %v, want %s", tt.text, v, err, tt.want)
		}
	}
}

// row returns the row of a path.
func row(path string, unit counter.Unit, f stats.Figures) summaryRow {
	p, err := winperf.ParsePath(path)
	if err != nil {
		panic(err)
	}
	return summaryRow{&winperf.Series{Path: p, Unit: unit}, path, f}
}

// order are the instances of rows.
func order(rows []summaryRow) string {
	var names []string
	for _, r := range rows {
		names = append(names, r.series.Path.Instance)
	}
	return strings.Join(names, " ")
}

// TestSortAndTop sorts by numbers, the largest first, and by name. The largest of each counter are without sums and
// idle processes, and those that were there for longer are larger.
func TestSortAndTop(t *testing.T) {
	figures := func(max, average, total float64, present time.Duration) stats.Figures {
		return stats.Figures{Max: max, Average: average, Total: total, Present: present, Percentiles: []float64{max, -max, average}}
	}
	rows := func() []summaryRow {
		return []summaryRow{
			row(`\Process(b)\% Processor Time`, counter.Percent, figures(4, 1, 400, 4*time.Second)),
			row(`\Process(Idle)\% Processor Time`, counter.Percent, figures(9, 9, 900, 4*time.Second)),
			row(`\Process(_Total)\% Processor Time`, counter.Percent, figures(10, 10, 1000, 4*time.Second)),
			row(`\Process(a)\% Processor Time`, counter.Percent, figures(6, 5, 500, time.Second)),
			row(`\Process(C)\% Processor Time`, counter.Percent, figures(5, 2, 300, 2*time.Second)),
			row(`\Other(idle)\Bytes/sec`, counter.PerSecond, figures(1, 1, math.NaN(), 0)),
		}
	}
	for key, want := range map[sortKey]string{
		"": "b Idle _Total a C idle", "counter": "idle _Total a b C Idle", "maximum": "_Total Idle a C b idle",
		"average": "_Total Idle a C b idle", "p95": "idle b C a Idle _Total", "total": "_Total Idle a b C idle",
	} {
		all := rows()
		if key.sort(all, defaultPercentiles); order(all) != want {
			t.Errorf("sorted by %q: %s, want %s", key, order(all), want)
		}
	}
	for key, want := range map[sortKey]string{"": "a b idle", "total": "a b idle", "maximum": "b C idle", "average": "a b idle"} {
		if got := order(key.top(rows(), 2)); got != want {
			t.Errorf("the largest by %q: %s, want %s", key, got, want)
		}
	}
	if got := order(sortKey("").top(rows()[1:3], 5)); got != "_Total Idle" {
		t.Errorf("the largest of sums: %s", got)
	}
}

func TestTotalText(t *testing.T) {
	for _, tt := range []struct {
		unit  counter.Unit
		total float64
		want  string
	}{
		{counter.Percent, 12345.6, "2m3.456s"}, {counter.Percent, 99.9999e9, "277777h30m0s"}, {counter.Percent, 1e11, "1000000000"}, {counter.PerSecond, 1234.4, "1234"},
		{counter.PerSecond, 0, "0"}, {counter.PerSecond, -2.5, "-3.00"}, {counter.Count, 7, "-"},
	} {
		r := row(`\A\B`, tt.unit, stats.Figures{Total: tt.total})
		got := "-"
		if v := r.total(); !math.IsNaN(v) {
			got = totalText(&r, v, false)
		}
		if got != tt.want {
			t.Errorf("%v of %v: %s, want %s", tt.total, tt.unit, got, tt.want)
		}
	}
}

// TestShownPaths: instances that were called the same are shown with their identity.
func TestShownPaths(t *testing.T) {
	named := func(path, key string) summaryRow {
		r := row(path, counter.Count, stats.Figures{})
		r.series.Key = key
		return r
	}
	rows := []summaryRow{
		named(`\\H\Process(a)\ID Process`, "4@133"), named(`\\H\Process(a)\ID Process`, "5@134"),
		named(`\\H\Process(b)\ID Process`, "6@135"), named(`\\H\Disk(c)\Reads`, ""), named(`\\H\Disk(c)\Reads`, ""),
	}
	want := []string{
		`\Process(a)\ID Process [4]`, `\Process(a)\ID Process [5]`, `\Process(b)\ID Process`, `\Disk(c)\Reads`, `\Disk(c)\Reads`,
	}
	s := summarizer{gathered: &logs.Gatherer{}}
	if diff := cmp.Diff(want, s.shownPaths(rows)); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}
