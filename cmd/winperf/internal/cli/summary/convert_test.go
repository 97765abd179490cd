package summary

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	start := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	p := intervals{}
	at := start
	for i := range 3 * enoughSteps {
		p.add(at)
		at = at.Add(time.Second)
		if i%1000 == 500 {
			at = at.Add(2 * time.Second)
		}
		if i == 2000 {
			at = at.Add(-time.Hour) // no gap
		}
	}
	p.settle()
	if p.usual != time.Second || p.count != 12 || len(p.gaps) != 12 || p.gaps[0].Seconds != 3 || !p.gaps[0].After.Equal(start.Add(500*time.Second)) {
		t.Errorf("usual %v, %d gaps, %v", p.usual, p.count, p.gaps)
	}
	for _, few := range [][]time.Time{nil, {start}, {start, start}} {
		p := intervals{}
		for _, at := range few {
			p.add(at)
		}
		if p.settle(); p.usual != 0 || p.count != 0 {
			t.Errorf("%v: usual %v, %d gaps", few, p.usual, p.count)
		}
	}
}
