package metrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// TestManyOfOneName gives thousands of counters of an object one name, and thousands of objects: each
// gets a name of its own, by a number. Trying all numbers for each would take minutes.
func TestManyOfOneName(t *testing.T) {
	const many = 3000
	n := names(t, map[uint32]string{2: "Object", 4: "Counter", 6: "Process"})
	counters := make([]uint32, many)
	for i := range counters {
		counters[i] = 4
	}
	var objects strings.Builder
	for i := range many {
		title := 2 + i%2*4
		fmt.Fprintf(&objects, "object %d\n counter 4 PERF_COUNTER_RAWCOUNT\n instance \"x\" : %d\n", title, i)
	}

	for name, c := range map[string]struct {
		text   string
		names  []Scheme
		series int
	}{
		"gauges of 4 bytes":   {ofNames(counters, counter.RawCount), nil, many},
		"counters of 4 bytes": {ofNames(counters, counter.CounterCounter), nil, many},
		"objects":             {at0 + objects.String(), []Scheme{Own, WindowsExporter}, many},
	} {
		fs := frames(t, c.text, c.text)
		m := NewMapper(Options{Names: c.names})
		for _, f := range fs {
			set := mapped(t, m, f, n)
			if all := allSeries(t, set); len(all) < c.series {
				t.Errorf("%s: %d series", name, len(all))
			}
		}
	}
}

// TestManyReadingsOfOneName does the same with readings.
func TestManyReadingsOfOneName(t *testing.T) {
	const many = 3000
	var list []winperf.Reading
	for i := range many {
		list = append(list, winperf.Reading{
			Series: &winperf.Series{Path: winperf.Path{Object: fmt.Sprintf("\u7269\u4ef6%c", 0x4e00+i), Counter: "\u503c"}},
			Value:  counter.Int(uint64(i)),
		})
	}
	set := mapDisplayed(t, NewMapper(Options{}), list[0].Time, list)
	if all := allSeries(t, set); len(all) != many {
		t.Errorf("%d series", len(all))
	}
}
