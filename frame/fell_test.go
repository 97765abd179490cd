package frame_test

import (
	"testing"

	"github.com/winperf/winperf/counter"
)

// What fell is told of single instances, whether it wrapped, was reset or is a
// base; and of a column as a whole.
func TestFell(t *testing.T) {
	older := `block name="HOST" perftime=1000 perffreq=100 time100ns=133485408000000000
object 236
  counter 208 PERF_AVERAGE_TIMER
  counter 0 PERF_AVERAGE_BASE
  counter 148 PERF_COUNTER_COUNTER
  counter 410 PERF_COUNTER_RAWCOUNT
  instance "C:" : 100 10 4294967290 7
  instance "D:" : 100 10 3000 7
  instance "E:" : 100 10 10 7
`
	newer := `block name="HOST" perftime=1100 perffreq=100 time100ns=133485408010000000
object 236
  counter 208 PERF_AVERAGE_TIMER
  counter 0 PERF_AVERAGE_BASE
  counter 148 PERF_COUNTER_COUNTER
  counter 410 PERF_COUNTER_RAWCOUNT
  instance "F:" : 1 1 1 1
  instance "C:" : 200 20 10 6
  instance "D:" : 100 4 2000 8
  instance "E:" : 200 20 20 6
`
	p, _ := pair(t, older, newer, counter.Options{})
	tests := []struct {
		k      int
		column bool
		fell   []bool // F: is new, C: wraps, D: is reset, E: grows
		status []counter.Status
	}{
		{0, true, []bool{false, false, true, false}, []counter.Status{counter.NoPrevious, counter.OK, counter.NegativeDenominator, counter.OK}},
		{2, true, []bool{false, true, true, false}, []counter.Status{counter.NoPrevious, counter.OK, counter.NegativeValue, counter.OK}},
		{3, false, []bool{false, true, false, true}, []counter.Status{counter.OK, counter.OK, counter.OK, counter.OK}}, // it may
	}
	for _, tt := range tests {
		c := p.Column(tt.k)
		if c.Fell != tt.column {
			t.Errorf("counter %d: the column fell: %v", tt.k, c.Fell)
		}
		for i, want := range tt.fell {
			if got := p.Fell(i, tt.k); got != want || c.Status[i] != tt.status[i] {
				t.Errorf("counter %d of instance %d fell: %v (%v), want %v (%v)", tt.k, i, got, c.Status[i], want, tt.status[i])
			}
		}
	}
	if c := p.Column(0); !c.Fell {
		t.Error("cooked again it did not fall")
	}
	first, _ := pair(t, "", newer, counter.Options{})
	if c := first.Column(0); c.Fell || first.Fell(0, 0) {
		t.Error("something fell in the first sample")
	}
}
