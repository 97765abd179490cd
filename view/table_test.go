package view

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// TestTableThinned: a table that merges samples keeps the minimum, the maximum and the time-weighted average of
// each series over all samples, and its memory stays bounded.
func TestTableThinned(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const series, limit = 20, 4096
	type sums struct{ low, high, weighted float64 }
	want := make([]sums, series)
	var all []*winperf.Series
	for range series {
		all = append(all, winperf.NewSeries(winperf.Path{Object: "Disk", HasInstance: true, Instance: string(rune('a' + len(all))), Counter: "Value"}))
		want[len(all)-1] = sums{low: math.Inf(1), high: math.Inf(-1)}
	}
	tab := newTable(limit, false)
	tab.before = time.Unix(1000, 0).UnixMilli()
	at := tab.before
	for range 5000 {
		step := int64(500 + random.IntN(1000))
		at += step
		var readings []winperf.Reading
		for i, s := range all {
			v := random.NormFloat64()
			if random.IntN(1000) == 0 {
				v *= 1000 // a peak
			}
			w := &want[i]
			w.low, w.high, w.weighted = min(w.low, v), max(w.high, v), w.weighted+v*float64(step)
			readings = append(readings, winperf.Reading{Series: s, Value: counter.Float(v)})
		}
		tab.add(time.UnixMilli(at), winperf.ColumnsOf(readings))
		if tab.used > limit {
			t.Fatalf("%d values, limit %d", tab.used, limit)
		}
	}
	if tab.stride < 8 || tab.samples != 5000 {
		t.Errorf("stride %d, %d samples", tab.stride, tab.samples)
	}

	s := stepsOf(tab, 0, len(tab.times), 1<<40)
	for i, r := range tab.rows {
		got, w := s.series(r), want[i]
		average := w.weighted / float64(at-tab.before)
		if got.Minimum[0] != w.low || got.Maximum[0] != w.high || math.Abs(got.Average[0]-average) > 1e-9 {
			t.Errorf("series %d: %v %v %v, want %+v %v", i, got.Minimum, got.Maximum, got.Average, w, average)
		}
	}
}

// TestTableChurn: rows of instances that ended are removed when there are too many, and no other row.
func TestTableChurn(t *testing.T) {
	for _, lean := range []bool{true, false} {
		t.Run(fmt.Sprint("lean ", lean), func(t *testing.T) { testTableChurn(t, lean) })
	}
}

func testTableChurn(t *testing.T, lean bool) {
	tab := newTable(valuesPerRow*100, lean)
	long := winperf.NewSeries(winperf.Path{Object: "Process", HasInstance: true, Instance: "long", Counter: "Value"})
	for second := range 5000 {
		short := winperf.NewSeries(winperf.Path{Object: "Process", HasInstance: true, Instance: "short", Index: second, Counter: "Value"})
		readings := []winperf.Reading{{Series: long, Value: counter.Float(float64(second))}, {Series: short, Value: counter.Float(1)}}
		tab.add(time.Unix(int64(1000+second), 0), winperf.ColumnsOf(readings))

		values := 0
		for _, r := range tab.rows {
			values += r.size()
		}
		if tab.used != values {
			t.Fatalf("the rows have %d values, counted %d", values, tab.used)
		}
	}

	r := tab.rows[0]
	if len(tab.rows) > 100 || r.series.Path.Instance != "long" || r.first != 1000_000 || r.latest != 5999_000 || !tab.lost {
		t.Errorf("%d rows, the first is %v from %d to %d", len(tab.rows), r.series, r.first, r.latest)
	}
	if sum := r.average[0]; sum > 32 || math.IsNaN(sum) {
		t.Errorf("the first average is %v", sum)
	}
}

// TestTableLongNames: a table has a limit for the names of its series, and renamed and removed series count.
func TestTableLongNames(t *testing.T) {
	const most = 100
	tab := newTable(valuesPerRow*most, true)
	long := strings.Repeat("n", 1000)
	for second := range 200 {
		kept := winperf.NewSeries(winperf.Path{Object: "Process", HasInstance: true, Instance: fmt.Sprint("kept", second), Counter: "Value"})
		kept.Key = "1@1"
		ended := winperf.NewSeries(winperf.Path{Object: "Process", HasInstance: true, Instance: long, Index: second, Counter: "Value"})
		tab.add(time.Unix(int64(1000+second), 0), winperf.ColumnsOf([]winperf.Reading{
			{Series: kept, Value: counter.Float(1)}, {Series: ended, Value: counter.Float(1)},
		}))
		text := 0
		for _, r := range tab.rows {
			text += textOf(r.series)
		}
		if text != tab.text || text > textPerRow*most+len(long) {
			t.Fatalf("second %d: %d rows with %d bytes of names, counted %d", second, len(tab.rows), text, tab.text)
		}
	}

	if name := tab.rows[0].series.Path.Instance; name != "kept199" || !tab.lost || len(tab.rows) < 2 {
		t.Errorf("the first of %d rows is %q, lost %v", len(tab.rows), name, tab.lost)
	}
}

// TestTableStates: the changes of status in a table have a limit, and removed rows count.
func TestTableStates(t *testing.T) {
	const limit, series = 65536, 40
	tab := newTable(limit, false)
	for second := range 5000 {
		status := counter.OK
		if second%2 == 0 {
			status = counter.NegativeValue
		}
		var readings []winperf.Reading
		for i := range series {
			s := winperf.NewSeries(winperf.Path{Object: "Disk", HasInstance: true, Instance: fmt.Sprint(i + second/500), Counter: "Value"})
			readings = append(readings, winperf.Reading{Series: s, Value: counter.Float(1), Status: status})
		}
		tab.add(time.Unix(int64(1000+second), 0), winperf.ColumnsOf(readings))
		if second == 1500 {
			tab.trim(time.Unix(2400, 0).UnixMilli())
		}
	}

	all := 0
	for _, r := range tab.rows {
		all += len(r.states)
	}
	if all != tab.states || all > limit/4+len(tab.rows) || all < limit/8 {
		t.Errorf("%d changes of status in %d rows, counted %d", all, len(tab.rows), tab.states)
	}
}

// TestEventTexts: the texts of events have a limit, and further events are counted.
func TestEventTexts(t *testing.T) {
	v := newSurvey()
	long := strings.Repeat("n", 1<<20)
	for second := range 20 {
		at := time.Unix(int64(1000+second), 0)
		v.note(winperf.Anomaly{Kind: winperf.InstancesAdded, Time: at, ObjectName: "Process", Instances: []string{long}})
	}
	if len(v.events) != 8 || v.dropped != 12 {
		t.Errorf("%d events, %d dropped", len(v.events), v.dropped)
	}
	v.trim(time.Unix(1004, 0))
	v.note(winperf.Anomaly{Kind: winperf.InstancesAdded, Time: time.Unix(2000, 0), Instances: []string{long}})
	if len(v.events) != 5 {
		t.Errorf("%d events", len(v.events))
	}
}

// TestEventsOfInstances: an instance that appears is one event, and the text about a renamed instance is not
// repeated for others. Names that are read again are no event.
func TestEventsOfInstances(t *testing.T) {
	v := newSurvey()
	for _, a := range []winperf.Anomaly{
		{Kind: winperf.InstancesAdded, ObjectName: "Process", Instances: []string{"a"}},
		{Kind: winperf.InstanceBegan, ObjectName: "Process", Instances: []string{"a"}},
		{Kind: winperf.InstancesRenamed, ObjectName: "Process", Instances: []string{"c", "d"}, Detail: "b is called c now"},
		{Kind: winperf.SchemaChanged, Detail: "the names of objects and counters were read again"},
		{Kind: winperf.SchemaChanged, ObjectName: "Shop", Detail: "the object is new"},
	} {
		v.note(a)
	}

	var got []string
	for _, e := range v.events {
		got = append(got, fmt.Sprintf("%v %s %s: %s", e.Kind, e.Object, e.Instance, e.Text))
	}
	want := []string{
		"instances_came Process a: ", "instances_renamed Process c: b is called c now", "instances_renamed Process d: ",
		"schema_changed Shop : the object is new",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestComparable: numbers without a size are not compared.
func TestComparable(t *testing.T) {
	for name, want := range map[string]bool{
		"Thread State": false, "Thread Wait Reason": false, "ID Process": false, "Creating Process ID": false,
		"Thread Count": true, "Priority Current": true,
	} {
		s := winperf.NewSeries(winperf.Path{Object: "Thread", HasInstance: true, Instance: "a", Counter: name})
		if got := isComparable(s); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// BenchmarkTableWide adds samples with ten times as many series as a table keeps. The reference is a table
// that keeps them all.
func BenchmarkTableWide(b *testing.B) {
	const series = 20_000
	readings := make([]winperf.Reading, series)
	for i := range readings {
		s := winperf.NewSeries(winperf.Path{Object: "Process", HasInstance: true, Instance: "p", Index: i, Counter: "Value"})
		readings[i] = winperf.Reading{Series: s, Value: counter.Float(float64(i))}
	}
	columns := winperf.ColumnsOf(readings)
	for _, part := range []int{1, 10} {
		b.Run(fmt.Sprint(part), func(b *testing.B) {
			for range b.N {
				tab := newTable(valuesPerRow*series/part, true)
				for second := range 4 {
					tab.add(time.Unix(int64(1000+second), 0), columns)
				}
				if len(tab.rows) != series/part || tab.lost != (part > 1) {
					b.Fatalf("%d rows, lost %v", len(tab.rows), tab.lost)
				}
			}
		})
	}
}

func TestUsualStep(t *testing.T) {
	for _, tt := range []struct {
		length string
		points int
		want   string
	}{
		{"10s", 100, "1s"}, {"100s", 100, "2s"}, {"1h", 100, "1m"}, {"1h", 1000, "5s"}, {"24h", 100, "15m"},
		{"720h", 100, "10h"}, {"8760h", 100, "96h"}, {"0s", 1, "1s"},
	} {
		length, _ := time.ParseDuration(tt.length)
		want, _ := time.ParseDuration(tt.want)
		if got := usualStep(length.Milliseconds(), tt.points); got != want.Milliseconds() {
			t.Errorf("%s in %d points: %d ms, want %s", tt.length, tt.points, got, tt.want)
		}
	}
}

// TestOffsets has the change to summer time in Berlin in 2024.
func TestOffsets(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	got := offsets(berlin, time.Date(2024, 3, 30, 0, 0, 0, 0, time.UTC), time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC))
	if len(got) != 2 || got[0] != [2]int64{0, 3600} || got[1] != [2]int64{1711846800000, 7200} {
		t.Errorf("%v", got)
	}
}
