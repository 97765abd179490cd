package linuxhost

import (
	"errors"
	"io/fs"
)

// totals computes the figures of _Total over the instances of an object.
//
// A plain sum of cumulative figures would fall whenever an instance ends. The
// total runs instead: it starts as the sum over the instances of the first
// sample and each later sample adds the differences of the instances that were
// there before. A figure of an instance that fell has been reset and adds
// nothing.
type totals struct {
	sums
	started fields            // running and averaged figures that have a total
	total   [maxFields]uint64 // their totals
	carried [maxFields]uint64 // differences of samples that were not whole: they count in the next one

	// Of the current sample.
	seen     fields
	lacking  fields            // figures that some instance has and that could not be read: no total
	denied   fields            // of those, what may not be read
	now      [maxFields]uint64 // sums over all instances
	count    [maxFields]uint64 // instances in now
	diff     [maxFields]uint64 // sums of differences
	differed [maxFields]uint64 // instances in diff
}

// sums are the rules for the figures of a total.
type sums struct {
	running  fields // cumulative figures that are summed
	averaged fields // cumulative figures of which the total is the average over instances
	gauges   fields // figures that are summed afresh in each sample, or averaged where averaged has them too
}

// begin starts a sample.
func (t *totals) begin() {
	t.seen, t.lacking, t.denied = 0, 0, 0
	clear(t.now[:])
	clear(t.count[:])
	clear(t.diff[:])
	clear(t.differed[:])
}

// add takes the figures of one instance. prev are those last seen of the same
// instance, zero values for a new one; it is brought up to date.
func (t *totals) add(prev, cur *values) {
	cumulative := t.running | t.averaged
	summed := cur.have & (cumulative | t.gauges)
	t.seen |= summed
	t.lacking |= cur.failed | cur.denied
	t.denied |= cur.denied

	for ; summed != 0; summed &= summed - 1 {
		i := summed.position()
		n := cur.n[i]
		t.now[i] += n
		t.count[i]++
		if bit := fields(1) << i; cumulative&prev.have&bit != 0 && n >= prev.n[i] {
			t.diff[i] += n - prev.n[i]
			t.differed[i]++
		}
		prev.n[i] = n
	}
	prev.have |= cur.have
}

// lackAll notes that an instance could not be read at all.
func (t *totals) lackAll(err error) {
	t.lacking = ^fields(0)
	if errors.Is(err, fs.ErrPermission) {
		t.denied = ^fields(0)
	}
}

// end completes the sample and gives v the totals of what it saw. A total that lacks an
// instance has no value; the next one makes up for it.
func (t *totals) end(v *values) {
	v.denied = t.denied & (t.running | t.averaged | t.gauges)
	for rest := t.seen; rest != 0; rest &= rest - 1 {
		i := rest.position()
		bit := fields(1) << i
		n := t.share(bit, t.now[i], t.count[i])
		switch {
		case t.gauges&bit != 0:
		case t.started&bit == 0:
			t.started |= bit
			t.total[i] = n
		case t.lacking&bit != 0:
			t.carried[i] += t.diff[i]
		default:
			t.total[i] += t.share(bit, t.diff[i]+t.carried[i], t.differed[i])
			t.carried[i] = 0
			n = t.total[i]
		}

		if t.lacking&bit == 0 {
			v.set(bit, n)
		}
	}
}

// share returns what a sum over n instances adds to the total.
func (t *totals) share(bit fields, sum, n uint64) uint64 {
	if t.averaged&bit != 0 {
		return sum / max(n, 1)
	}
	return sum
}
