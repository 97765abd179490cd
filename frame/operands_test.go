package frame_test

import (
	"fmt"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// checkOperands shows that the operands of each instance and the counter's formula give the values
// that the pair gives, whole.
func checkOperands(t *testing.T, p *frame.Pair, k int, whole []string) {
	t.Helper()
	prev, cur, opt := p.Both()
	formula := cur.Formula(k, opt)
	for i, want := range whole {
		newer, status := cur.Operands(i, k)
		if status != counter.OK {
			continue
		}

		// What became of counters whose definitions changed is the pair's business.
		if formula.Samples() == 2 && prev != (frame.Object{}) && !p.SameDefinitions() {
			continue
		}
		var older *counter.Sample
		j, match := p.From(i)
		if formula.Samples() == 2 && j >= 0 {
			o, status := prev.Operands(j, k)
			if status != counter.OK {
				continue
			}
			o = cur.Since(o, newer)
			older = &o
		}
		if p.Began(i) && frame.CountsFromZero(cur.Counter(k).Type) {
			older, match = &counter.Sample{Clocks: prev.Clocks()}, counter.Verified
		}

		r := formula.CookOne(older, &newer, match)
		if got := fmt.Sprint(r.Status, r.Value); got != want {
			t.Errorf("counter %d of instance %d: by its operands %s, in the pair %s", k, i, got, want)
		}
	}
}

// TestOperands: without operands the status tells why.
func TestOperands(t *testing.T) {
	_, f := pair(t, "", at1+"object 1000 missing=auto\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 12 PERF_COUNTER_TEXT size=8\n"+
		" counter 14 PERF_COUNTER_NODATA\n counter 16 PERF_AVERAGE_TIMER\n instance \"a\" : ?1 \"ab\" - 5\n", counter.Options{})
	o := f.Object(0)
	for k, want := range []counter.Status{counter.InvalidData, counter.Unsupported, counter.Unsupported, counter.InvalidData} {
		if s, status := o.Operands(0, k); status != want || s != (counter.Sample{}) {
			t.Errorf("counter %d: operands %+v, %v, want %v", k, s, status, want)
		}
	}
}
