package frame

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Start times are not exact: the kernel of Linux gives them in steps of 10 ms, a busy machine reads two
// clocks some time apart, and the system time may be slewed by a thousandth.
const (
	startUnit = 50 * time.Millisecond
	slewed    = 1000
)

// BeganBetween reports whether a process or thread began between two samples of its object, which have these
// clocks. start is the raw value of its Elapsed Time; a start of 0 is unknown. If the system time was set
// between the samples, BeganBetween returns false, because then start and the clocks do not compare.
func BeganBetween(start uint64, older, newer counter.Clocks) bool {
	step := counter.ClockStep(older, newer) != 0 || newer.Time100ns < older.Time100ns
	if start == 0 || older.Time100ns == 0 || step {
		return false
	}

	// Start times use the clock of their object. On Linux that clock runs on from the boot of the system,
	// whatever the system time was set to since.
	began := winperf.FromFiletime(int64(start))
	if apart := newer.Time100ns - newer.ObjectTime; newer.ObjectFreq == 1e7 && max(apart, -apart) < 24*3600*1e7 {
		began = began.Add(time.Duration(apart) * 100)
	}

	from, to := winperf.FromFiletime(older.Time100ns), winperf.FromFiletime(newer.Time100ns)
	within := startUnit + to.Sub(from)/slewed
	return !began.Before(from.Add(-within)) && !began.After(to.Add(within))
}

// CountsFromZero reports whether the raw value of a counter is 0 when its instance begins, so that the value
// of an instance that began between two samples can be computed.
func CountsFromZero(t counter.Type) bool {
	return t.Samples() == 2 && t.Cumulative() && !t.Inverse() && !t.NeedsBase()
}

// Began reports whether instance i began after the older sample. Counters that count from zero have a value
// for it (see [CountsFromZero]), over the whole time between the samples.
func (p *Pair) Began(i int) bool { return p.from[i] < 0 && p.match[i] == counter.Verified }

// findBegun marks the instances that began after the older sample as verified. The keys of both objects have
// been read.
func (p *Pair) findBegun() {
	if p.cooker.opt.NeedPrevious {
		return
	}

	older := p.prev.Clocks()
	for i, j := range p.from {
		key := &p.curKeys.list[i]
		if j < 0 && key[keyProcess] != 0 && BeganBetween(key[keyStart], older, p.curClocks) {
			p.match[i], p.begun = counter.Verified, true
		}
	}
}

// startFromZero sets the older values of instances that began after the older sample, from position first on.
// A column that does not count from zero has no value for them.
func (p *Pair) startFromZero(op *counter.Batch, col *column, first int) {
	for i := range op.Bits {
		switch {
		case !p.Began(first + i):
		case col.fromZero:
			op.Prev[i] = 0
		case op.Status[i] == counter.OK:
			op.Status[i] = counter.NoPrevious
		}
	}
}
