package pdhtext

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// TestByName checks that a column that belongs to a name has the values of all its instances,
// and no rate in the first row of another instance.
func TestByName(t *testing.T) {
	rate, plain := winperf.NewSeries(winperf.Path{Counter: "Rate"}), winperf.NewSeries(winperf.Path{Counter: "Plain"})
	reading := func(of *winperf.Series, id uint32, name, key string, v uint64) winperf.Reading {
		s := *of
		s.Type = counter.RawCount
		if of == rate {
			s.Type = counter.CounterCounter
		}
		s.ID = winperf.SeriesID{Counter: of, Instance: id}
		s.Path = winperf.Path{Object: "O", Instance: name, HasInstance: true, Counter: of.Path.Counter}
		s.Key = key
		return winperf.Reading{Series: s.Clone(), Value: counter.Int(v)}
	}
	began := func(r winperf.Reading) winperf.Reading {
		r.Anomalies = r.Anomalies.With(winperf.InstanceBegan)
		return r
	}
	moments := [][]winperf.Reading{
		{reading(rate, 1, "a", "1@1", 10), reading(plain, 1, "a", "1@1", 11), reading(rate, 3, "c", "", 12)},
		{reading(rate, 2, "a", "2@2", 20), reading(plain, 2, "a", "2@2", 21), reading(rate, 4, "c", "", 22)},
		{reading(rate, 2, "a", "2@2", 30), reading(plain, 2, "a", "2@2", 31)},
		{reading(rate, 2, "b", "2@2", 40), reading(plain, 2, "b", "2@2", 41)}, // renamed at its position
		{began(reading(rate, 5, "b", "5@5", 50))},                             // counts from zero
	}

	var b strings.Builder
	columns := []string{`\O(a)\Rate`, `\O(a)\Plain`, `\O(c)\Rate`, `\O(b)\Rate`, `\O(b)\Plain`}
	w := NewWriter(&b, Options{Dialect: Typeperf, Location: time.UTC, Columns: columns, ByName: true})
	for _, readings := range moments {
		if err := w.Write(time.Unix(0, 0), winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
	}

	var got []string
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\r\n")[1:] {
		_, values, _ := strings.Cut(line, ",")
		got = append(got, strings.NewReplacer(`"`, "", ".000000", "").Replace(values))
	}
	want := []string{"10,11,12, , ", " ,21,22, , ", "30,31, , , ", " , , ,40,41", " , , ,50, "}
	if diff := cmp.Diff(want, got); diff != "" || w.Late() != 0 {
		t.Errorf("%d late; %s", w.Late(), diff)
	}
}

// TestLateNames checks that the first three series without a column are named.
func TestLateNames(t *testing.T) {
	named := func(name string) winperf.Reading {
		p := winperf.Path{Object: "O", Instance: name, HasInstance: true, Counter: "C"}
		return winperf.Reading{Series: winperf.NewSeries(p), Value: counter.Int(1)}
	}
	w := NewWriter(&strings.Builder{}, Options{})
	for _, readings := range [][]winperf.Reading{{named("a")}, {named("b"), named("c")}, {named("b"), named("d"), named("e")}} {
		if err := w.Write(time.Unix(0, 0), winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{`\O(b)\C`, `\O(c)\C`, `\O(d)\C`}
	if diff := cmp.Diff(want, w.LateNames()); diff != "" || w.Late() != 4 {
		t.Errorf("%d late; %s", w.Late(), diff)
	}
}
