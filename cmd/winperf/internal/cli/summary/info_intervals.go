package summary

import (
	"time"

	"github.com/winperf/winperf/internal/stats"
)

type gap struct {
	After   time.Time `json:"after"`   // the previous sample
	Seconds float64   `json:"seconds"` // until the next sample
}

// intervals determines the usual interval of samples from the first intervals, and finds gaps, which are at
// least 1.5 times as long. Its memory is bounded.
type intervals struct {
	usual time.Duration
	gaps  []gap // the first gaps
	count int   // number of all gaps

	last    time.Time
	first   []step // intervals until usual is known
	settled bool
}

type step struct {
	after time.Time
	time.Duration
}

const enoughSteps = 4096

func (p *intervals) add(t time.Time) {
	last := p.last
	p.last = t
	if last.IsZero() || !t.After(last) {
		return
	}

	s := step{last, t.Sub(last)}
	if p.settled {
		p.checkGap(s)
		return
	}

	if p.first = append(p.first, s); len(p.first) == enoughSteps {
		p.settle()
	}
}

func (p *intervals) settle() {
	if p.settled || len(p.first) == 0 {
		return
	}
	p.settled = true
	var all []time.Duration
	for _, s := range p.first {
		all = append(all, s.Duration)
	}

	p.usual = stats.Percentile(all, 50).Round(time.Millisecond)
	for _, s := range p.first {
		p.checkGap(s)
	}
	p.first = nil
}

func (p *intervals) checkGap(s step) {
	if p.usual <= 0 || s.Duration < p.usual+p.usual/2 {
		return
	}
	if p.count++; len(p.gaps) < maxShown {
		p.gaps = append(p.gaps, gap{s.after, s.Duration.Seconds()})
	}
}
