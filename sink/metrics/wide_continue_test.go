package metrics

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

// A Mapper that goes on for another one has its counts over 2^32, whatever order instances and objects have now and
// whichever counters it wants, and what is new begins with its raw value.
func TestContinue(t *testing.T) {
	n := names(t, map[uint32]string{10: "One", 12: "Two", 14: "Events/sec", 16: "More/sec", 18: "Three"})
	const one = "object 10\n counter 14 PERF_COUNTER_COUNTER\n counter 16 PERF_COUNTER_COUNTER\n"
	const two = "object 12 form=single\n counter 14 PERF_COUNTER_COUNTER\n"
	const gone = "object 18 form=single\n counter 14 PERF_COUNTER_COUNTER\n values : 1\n"

	a := frames(t,
		at0+one+" instance \"a\" : 4294967290 1\n instance \"b\" : 5 4294967295\n"+two+" values : 4294967295\n",
		at1+one+" instance \"a\" : 10 2\n instance \"b\" : 6 0\n"+two+" values : 7\n"+gone)
	b := frames(t, // of another query
		strings.Replace(at1, "4579545", "8159090", 1)+
			two+" values : 8\n"+one+" instance \"b\" : 7 1\n instance \"c\" : 20 21\n instance \"a\" : 11 3\n")
	later := frames(t, strings.Replace(at1, "4579545", "9159090", 1)+two+" values : 13\n")

	old := NewMapper(Options{})
	for _, f := range a {
		mapped(t, old, f, n)
	}
	for name, opt := range map[string]Options{"the same": {}, "totals": {Totals: true}} {
		m := NewMapper(opt)
		if err := m.Continue(old); err != nil {
			t.Fatal(name, err)
		}
		want := []string{
			`winperf_one_events_total{name="a"} 4294967307`, `winperf_one_events_total{name="b"} 7`,
			`winperf_one_events_total{name="c"} 20`, `winperf_one_more_total{name="a"} 3`,
			`winperf_one_more_total{name="b"} 4294967297`, `winperf_one_more_total{name="c"} 21`,
			`winperf_two_events_total{} 4294967304`,
		}
		got := lines(mapped(t, m, b[0], n))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		mapped(t, m, later[0], n) // in memory that is not the other one's
	}

	// The other one goes on, too, and holds its frame.
	if got := lines(mapped(t, old, b[0], n)); !slices.Contains(got, `winperf_two_events_total{} 4294967304`) {
		t.Error(got)
	}

	// There is nothing to go on with, or it is too late.
	m := NewMapper(Options{})
	if err := m.Continue(NewMapper(Options{})); err != nil {
		t.Error(err)
	}
	mapped(t, m, b[0], n)
	if err := m.Continue(old); !errors.Is(err, winperf.ErrState) {
		t.Errorf("a Mapper that has mapped samples goes on for another one: %v", err)
	}
}
