package measure_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/measure"
)

// Each part of a selection has its columns, and all together have as many values as there are readings.
func TestPartColumns(t *testing.T) {
	m := measure.New(counting(), selection(t, `\System\Processes`, `\Nothing\At all`, switches), measure.Options{})
	defer m.Close()
	if n := (&measure.Cycle{}).Len(); n != 0 {
		t.Errorf("%d readings before the first cycle", n)
	}
	c := cycle(t, m)
	for w, want := range []string{"Processes", "At all", "Context Switches/sec"} {
		var names []string
		for _, column := range c.Part(w) {
			names = append(names, column.Counter().Path.Counter)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("part %d: %s, want %s", w, got, want)
		}
	}
	if c.Len() != 3 || len(c.Readings()) != 3 {
		t.Errorf("%d values, %d readings, want 3", c.Len(), len(c.Readings()))
	}
}

// Words for names of instances have as many rules as they ask for.
func TestParseNaming(t *testing.T) {
	for word, want := range map[string]int{"": 0, "name": 0, "pid": 1, "name:pid": 1} {
		if rules, err := measure.ParseNaming(word); err != nil || len(rules) != want {
			t.Errorf("%q: %d rules, %v", word, len(rules), err)
		}
	}
	if _, err := measure.ParseNaming("tid"); err == nil {
		t.Error("an unknown word is no error")
	}
}

// A sample on demand waits until the last one is old enough for rates; the first one does not, nor does a recorded one.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := measure.New(counting(), selection(t, switches), measure.Options{})
		recorded := measure.New(recording{counting(), 3}, selection(t, switches), measure.Options{})
		for n, want := range []time.Duration{0, measure.LeastInterval, measure.LeastInterval} {
			for _, m := range []*measure.Measurement{live, recorded} {
				begin := time.Now()
				if err := m.Rest(t.Context()); err != nil {
					t.Fatal(err)
				}
				if m == recorded {
					want = 0
				}
				if got := time.Since(begin); got != want {
					t.Errorf("before sample %d: waited %v, want %v", n, got, want)
				}
				cycle(t, m)
			}
		}
		for _, m := range []*measure.Measurement{live, recorded} {
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
