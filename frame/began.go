package frame

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Start times are inexact: Linux rounds them to 10 ms, two clocks are read some time apart, and the
// system time may be slewed by a thousandth.
const (
	startUnit = 50 * time.Millisecond
	slewed    = 1000
)

// BeganBetween reports whether a process or thread began between two samples with the clocks older
// and newer. start is the raw value of its Elapsed Time, 0 if unknown. It returns false if the system
// time was set between the samples, as start and the clocks are then not comparable.
func BeganBetween(start uint64, older, newer counter.Clocks) bool {
	step := counter.ClockStep(older, newer) != 0 || newer.Time100ns < older.Time100ns
	if start == 0 || older.Time100ns == 0 || step {
		return false
	}

	// Start times use the clock of their object, which on Linux ignores changes of the system time
	// since boot.
	began := winperf.FromFiletime(int64(start))
	if apart := newer.Time100ns - newer.ObjectTime; newer.ObjectFreq == 1e7 && max(apart, -apart) < 24*3600*1e7 {
		began = began.Add(time.Duration(apart) * 100)
	}

	from, to := winperf.FromFiletime(older.Time100ns), winperf.FromFiletime(newer.Time100ns)
	within := startUnit + to.Sub(from)/slewed
	return !began.Before(from.Add(-within)) && !began.After(to.Add(within))
}

// CountsFromZero reports whether the raw value of a counter is 0 when its instance begins. A two-sample
// counter of an instance that began between the samples has a value only if this is true.
func CountsFromZero(t counter.Type) bool {
	return t.Samples() == 2 && t.Cumulative() && !t.Inverse() && !t.NeedsBase()
}

// Began reports whether instance i of the newer object began after the older sample. If
// [CountsFromZero] is true for a counter, its value is then the increase from zero, over the whole time
// between the samples.
func (p *Pair) Began(i int) bool { return p.from[i] < 0 && p.match[i] == counter.Verified }

// findBegun needs the keys of both objects.
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

// startFromZero sets the older values of instances, from position first on, that began since.
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
