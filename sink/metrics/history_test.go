package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

// allSeries are all series of a Set with their values.
func allSeries(t *testing.T, set *Set) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range set.Families {
		for _, c := range f.Columns {
			for i := range c.Bits {
				key := fmt.Sprintf("%s%s %q %q", f.Name, c.Suffix, c.Rows.Labels(i), c.Extra)
				if _, twice := all[key]; twice {
					t.Errorf("%.200s is there twice", key)
				}
				all[key] = "none"
				if c.Has(i) {
					all[key] = fmt.Sprint(c.Form, c.Bits[i], " ", c.Time)
				}
			}
		}
	}
	return all
}

// TestHistoryLeavesNothing compares what a Mapper makes of a sample that has seen others before
// with what a new one makes of it: nothing is left of what was there before.
func TestHistoryLeavesNothing(t *testing.T) {
	n := names(t, perftest.HistoryNames())

	for seed, r := range perftest.SuiteCases(40).All() {
		w := perftest.NewHistory(r)
		machines := [][]string{{"HOST"}, {"HOST", "OTHER"}, {"HOST", "OTHER", "host"}}[seed%3]
		opt := Options{Totals: seed%2 == 0}
		old := NewMapper(opt)
		var pool frame.Pool
		var before frame.Frame
		earlier := map[string]bool{} // values of earlier samples; the names of series may change
		for step := range 12 {
			f, text := nextFrame(t, w, &pool, before, machines)
			before = f
			fresh := mapped(t, NewMapper(opt), f, n)
			want := allSeries(t, fresh)
			check(t, fresh)
			got := allSeries(t, mapped(t, old, f, n))
			for key, value := range got {
				if isHeld(value, want[key], earlier) {
					want[key] = value
				}
			}
			if !maps.Equal(got, want) {
				t.Error(differences(got, want))
			}
			for _, value := range got {
				form, number := formAndNumber(value)
				earlier[fmt.Sprint(form, number)] = true
			}
			if t.Failed() {
				t.Fatalf("case %d, step %d:\n%.3000s", seed, step, text)
			}
		}
	}
}

// isHeld reports whether a value is the last one in place of a smaller one, as for a counter that fell.
func isHeld(value, want string, earlier map[string]bool) bool {
	form, now := formAndNumber(value)
	_, raw := formAndNumber(want)
	return raw < now && earlier[fmt.Sprint(form, now)]
}

// formAndNumber reads a value of allSeries; both are 0 for "none".
func formAndNumber(value string) (form, number uint64) {
	if _, err := fmt.Sscan(value, &form, &number); err != nil {
		return 0, 0
	}
	return form, number
}

// nextFrame is the next sample of several machines.
func nextFrame(
	t *testing.T, w *perftest.History, pool *frame.Pool, before frame.Frame, machines []string,
) (frame.Frame, string) {
	t.Helper()
	var sample winperf.Sample
	text := ""
	for _, machine := range machines {
		block := w.Block(machine)
		text += block
		sample.Parts = append(sample.Parts, winperf.Part{Block: blockOf(frames(t, block)[0])})
	}
	f, err := pool.Decode(&sample, before)
	if err != nil {
		t.Fatal(err)
	}
	return f, text
}

func differences(got, want map[string]string) string {
	var lines []string
	for k, v := range got {
		if want[k] != v {
			lines = append(lines, fmt.Sprintf("%.300s: %s, of a new one %s", k, v, want[k]))
		}
	}
	for k, v := range want {
		if _, there := got[k]; !there {
			lines = append(lines, fmt.Sprintf("%.300s: missing, of a new one %s", k, v))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
