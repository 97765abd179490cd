package linuxhost

import (
	"errors"
	"io/fs"
)

// totals computes _Total.
//
// A plain sum would fall when an instance ends. For cumulative fields, the total starts as the sum
// of the first sample. Later samples add the increases of instances that the previous one had. A
// field that fell was reset and adds nothing.
type totals struct {
	sums
	started fields // fields that have a total
	total   [maxFields]uint64
	carried [maxFields]uint64 // increases for the next complete sample

	// For the current sample:
	seen       fields
	incomplete fields            // not read from an instance: no total
	denied     fields            // part of incomplete
	now        [maxFields]uint64 // sums
	count      [maxFields]uint64 // instances in now
	diff       [maxFields]uint64 // sums of increases
	differed   [maxFields]uint64 // instances in diff
}

type sums struct {
	running  fields // cumulative, summed
	averaged fields // cumulative, averaged over instances
	gauges   fields // not cumulative; summed, or averaged if also in averaged
}

func (t *totals) begin() {
	t.seen, t.incomplete, t.denied = 0, 0, 0
	clear(t.now[:])
	clear(t.count[:])
	clear(t.diff[:])
	clear(t.differed[:])
}

// add adds an instance. prev are its last values, zero for a new one; add updates them.
func (t *totals) add(prev, cur *values) {
	cumulative := t.running | t.averaged
	summed := cur.have & (cumulative | t.gauges)
	t.seen |= summed
	t.incomplete |= cur.failed | cur.denied
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

// markAllMissing records an unreadable instance.
func (t *totals) markAllMissing(err error) {
	t.incomplete = ^fields(0)
	if errors.Is(err, fs.ErrPermission) {
		t.denied = ^fields(0)
	}
}

// end sets the totals in v. An incomplete total is missing; the next one includes its increases.
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
		case t.incomplete&bit != 0:
			t.carried[i] += t.diff[i]
		default:
			t.total[i] += t.share(bit, t.diff[i]+t.carried[i], t.differed[i])
			t.carried[i] = 0
			n = t.total[i]
		}

		if t.incomplete&bit == 0 {
			v.set(bit, n)
		}
	}
}

// share returns the contribution of a sum over n instances: the sum, or its average.
func (t *totals) share(bit fields, sum, n uint64) uint64 {
	if t.averaged&bit != 0 {
		return sum / max(n, 1)
	}
	return sum
}
