package metrics

import (
	"testing"

	"github.com/winperf/winperf/measure"
)

// TestExpressionsOfThisMachine compares all counters of the machine that the test runs on,
// where it has any.
func TestExpressionsOfThisMachine(t *testing.T) {
	p := newProof()
	eachCycle(t, "local:", 2, func(c *measure.Cycle) { p.add(t, c.Frame, c.Names) })
	t.Logf("%d values compared: %v", p.compared, p.types)
	if p.compared < 100 {
		t.Errorf("only %d values compared", p.compared)
	}
}

// TestNamesOfThisMachine walks all counters of the machine that the test runs on.
func TestNamesOfThisMachine(t *testing.T) {
	m := NewMapper(Options{Totals: true})
	eachCycle(t, "local:", 1, func(c *measure.Cycle) { check(t, mapped(t, m, c.Frame, c.Names)) })
}
