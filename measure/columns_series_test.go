package measure_test

import (
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
