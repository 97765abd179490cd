package measure_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// TestAllSeriesTellsOthers has processes that come and go: where a column's slice of
// series is that of a cycle before, so are all series in it.
func TestAllSeriesTellsOthers(t *testing.T) {
	c := measure.New(newRing(perftest.Desktop, 5), everything(t), measure.Options{})
	known := map[**winperf.Series][]*winperf.Series{}
	same, other, first := 0, 0, 0
	for range 5 {
		cycle, err := c.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		columns := cycle.Columns()
		first = max(first, len(columns))
		for i := range columns {
			all := columns[i].AllSeries()
			if len(all) != columns[i].Len() {
				t.Fatalf("%d series of %d values", len(all), columns[i].Len())
			}
			if len(all) == 0 {
				continue
			}
			for n, s := range all {
				if s != columns[i].Series(n) {
					t.Fatalf("%v and %v are one value's series", s, columns[i].Series(n))
				}
			}

			before := known[&all[0]]
			if before != nil && !slices.Equal(before, all) {
				t.Fatalf("the slice of %v is the same, and its series are not", all[0])
			}
			if before != nil {
				same++
			} else {
				other++
			}
			known[&all[0]] = slices.Clone(all)
		}
	}
	if same == 0 || other <= first {
		t.Errorf("%d slices were the same and %d others", same, other)
	}
}

// TestSeriesSeldomAsked has processes that come and go while series are asked for in some cycles only, of
// all columns or of some, all or one: a series is the same as long as its instance lives.
func TestSeriesSeldomAsked(t *testing.T) {
	c := measure.New(newRing(perftest.Desktop, 5), everything(t), measure.Options{})
	known, again, first := map[winperf.SeriesID]*winperf.Series{}, 0, 0
	note := func(id winperf.SeriesID, s *winperf.Series) {
		if s == nil || s.ID != id || known[id] != nil && known[id] != s {
			t.Fatalf("the series of %v was %v, and is %v", id, known[id], s)
		}
		if known[id] != nil {
			again++
		}
		known[id] = s
	}

	for n := range ringLen - 1 {
		cy := cycle(t, c)
		for i := range cy.Columns() {
			col := &cy.Columns()[i]
			switch {
			case n%5 == 1 && i%2 == 0:
				note(col.ID(col.Len()-1), col.Series(col.Len()-1))
			case n%5 == 3 && i%3 == 0:
				for at, s := range col.AllSeries() {
					note(col.ID(at), s)
				}
			}
		}
		if n%5 == 1 || n%5 == 4 {
			continue
		}

		readings := cy.Readings()
		for i := range cy.Columns() {
			col := &cy.Columns()[i]
			for at := range col.Len() {
				note(col.ID(at), readings[at].Series)
			}
			readings = readings[col.Len():]
		}
		first = cmp.Or(first, len(known))
	}
	if again == 0 || len(known) == first {
		t.Errorf("%d series were there again, %d came", again, len(known)-first)
	}
}
