package input

import (
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Processes and processors of different samples are not compared.
func TestUnlistedApart(t *testing.T) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for apart, want := range map[time.Duration]bool{
		0: true, 50 * time.Millisecond: true, -50 * time.Millisecond: true, time.Second: false, -time.Second: false,
	} {
		m := machineTime{
			process: winperf.NewSeries(winperf.Path{Object: "Process"}), at: at.Add(apart), used: 40,
			total: 30, totalAt: at, processors: 2,
		}
		r, ok := m.reading()
		if ok != want {
			t.Errorf("%v apart: %v", apart, ok)
		}
		if v, _ := r.Value.Float64(); ok && (v != 20 || !r.Time.Equal(at)) {
			t.Errorf("%v apart: %v at %v", apart, v, r.Time)
		}
	}

	process := winperf.NewSeries(winperf.Path{Object: "Process"})
	for name, m := range map[string]machineTime{
		"not every process": {processors: 2}, "no total": {process: process, processors: 2, totalStatus: counter.NoInstance},
	} {
		if _, ok := m.reading(); ok {
			t.Errorf("%s: there is a row", name)
		}
	}
}
