package summary

import (
	"time"

	"github.com/winperf/winperf/internal/stats"
)

// gap is a time without samples.
type gap struct {
	After   time.Time `json:"after"`   // the sample before
	Seconds float64   `json:"seconds"` // to the sample behind
}

// pace finds the usual interval between samples and the gaps, which are at
// least half as long again, in memory that does not grow with their number: the
// first intervals tell what is usual.
type pace struct {
	usual time.Duration
	gaps  []gap // the first ones
	count int   // of all gaps

	last    time.Time
	first   []step // intervals until usual is known
	settled bool
}

// step is one interval.
type step struct {
	after time.Time
	time.Duration
}

// enoughSteps are as many intervals as it takes to know the usual one.
const enoughSteps = 4096

// add takes the time of a sample. Where the clock goes back there is no
// interval.
func (p *pace) add(t time.Time) {
	last := p.last
	p.last = t
	if last.IsZero() || !t.After(last) {
		return
	}

	s := step{last, t.Sub(last)}
	if p.settled {
		p.judge(s)
		return
	}

	if p.first = append(p.first, s); len(p.first) == enoughSteps {
		p.settle()
	}
}

// settle decides which interval is usual: the one in the middle, to the
// millisecond.
func (p *pace) settle() {
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
		p.judge(s)
	}
	p.first = nil
}

func (p *pace) judge(s step) {
	if p.usual <= 0 || s.Duration < p.usual+p.usual/2 {
		return
	}
	if p.count++; len(p.gaps) < maxShown {
		p.gaps = append(p.gaps, gap{s.after, s.Duration.Seconds()})
	}
}
