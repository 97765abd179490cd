package metrics

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// unixEpoch is 1970 as a FILETIME.
var unixEpoch = uint64(winperf.ToFiletime(time.Unix(0, 0)))

// inputs are the data for a value: an object, and the instances in its rows.
type inputs struct {
	object frame.Object
	state  *object
	cell   *cell
	rows   *rowSet // nil for a single row

	scratch []uint64 // a column of all instances
	other   []uint64 // the result of second

	last     []uint64 // of a cell that grows: the previous Bits, also of absent values
	lastForm Form
}

// read reads the raw values of the counter at position k for each row into out.Bits, zero-extended
// or, if they are cumulative, continued beyond 2^32. Missing values are 0 and absent.
func (in *inputs) read(out *Column, k int) { in.readInto(out.Bits, out, k) }

// second returns the raw values of another counter for the same rows. The caller may change them.
// They are valid until the next call. Missing values become absent in out.
func (in *inputs) second(out *Column, k int) []uint64 {
	in.other = slices.Grow(in.other[:0], len(out.Bits))[:len(out.Bits)]
	in.readInto(in.other, out, k)
	return in.other
}

// all returns the raw values of all instances, with totals, valid until the next call of read,
// second or all.
func (in *inputs) all(k int) []uint64 {
	in.scratch = slices.Grow(in.scratch[:0], in.object.Len())[:in.object.Len()]
	in.object.ReadRaw(in.scratch, k, 0)
	return in.scratch
}

func (in *inputs) count() uint64 {
	n := uint64(0)
	labels := in.object.Labels()
	for i := range in.object.Len() {
		if !frame.IsTotal(labels.Name(i)) {
			n++
		}
	}
	return n
}

// setAbsent makes the value of row i absent.
func (in *inputs) setAbsent(out *Column, i int) {
	out.Bits[i] = 0
	if out.Absent == nil {
		out.Absent = in.cell.noneAbsent(len(out.Bits))
	}
	out.Absent[i/64] |= 1 << (i % 64)
}

func (in *inputs) setAllAbsent(out *Column) {
	for i := range out.Bits {
		in.setAbsent(out, i)
	}
}

// noneAbsent returns memory for Column.Absent of n rows, all present.
func (c *cell) noneAbsent(n int) []uint64 {
	words := (n + 63) / 64
	c.absent = slices.Grow(c.absent[:0], words)[:words]
	clear(c.absent)
	return c.absent
}

// clockOf returns the time and frequency of the clock of the counter at position k for instance i:
// of the counter's own clock if it has one, else of the object or the sample.
func clockOf(o frame.Object, i, k int, which counter.Clock) (now, perSecond int64) {
	clocks, c := o.Clocks(), o.Counter(k)
	now, perSecond = clocks.At(which)
	if which == counter.Clock100ns || i >= o.Len() {
		return now, perSecond
	}

	if c.Clock >= 0 {
		v, _ := o.Raw(i, c.Clock)
		now = int64(min(v, math.MaxInt64))
	}
	if c.Freq >= 0 {
		v, _ := o.Raw(i, c.Freq)
		perSecond = int64(min(v, math.MaxInt64))
	}
	return now, perSecond
}

func (in *inputs) instance(i int) int {
	if in.rows == nil {
		return i
	}
	return int(in.rows.at[i])
}

// readInto reads the raw values of the rows into dst and marks missing ones in out.
func (in *inputs) readInto(dst []uint64, out *Column, k int) {
	if len(dst) == 0 {
		return
	}

	whole := false
	switch w, r := in.state.wideOf(k), in.rows; {
	case in.object.Len() == 0:
		clear(dst)
	case w != nil:
		in.gather(dst, w.total)
		whole = w.whole
	case r == nil || r.run:
		whole = in.object.ReadRaw(dst, k, in.instance(0))
	default:
		in.gather(dst, in.all(k))
	}
	if whole {
		return
	}

	for i := range dst {
		if in.object.Len() == 0 {
			in.setAbsent(out, i)
		} else if _, ok := in.object.Raw(in.instance(i), k); !ok {
			in.setAbsent(out, i)
		}
	}
}

func (in *inputs) readMulti(out *Column, k int) {
	if len(out.Bits) == 0 {
		return
	}

	n := in.object.Len()
	in.scratch = slices.Grow(in.scratch[:0], n)[:n]
	if n == 0 || !in.object.ReadMulti(in.scratch, k, 0) {
		in.setAllAbsent(out)
		return
	}
	in.gather(out.Bits, in.scratch)
}

func (in *inputs) gather(dst, all []uint64) {
	if in.rows == nil || in.rows.run {
		copy(dst, all[in.instance(0):])
		return
	}
	for i, at := range in.rows.at {
		dst[i] = all[at]
	}
}

type startClock struct{ now, perSecond, system int64 }

// startClockOf returns the clock of instance i for a counter of type PERF_ELAPSED_TIME.
func startClockOf(o frame.Object, i, k int) (c startClock) {
	c.now, c.perSecond = clockOf(o, i, k, counter.ObjectClock)
	c.system = o.Clocks().Time100ns
	return c
}

// began converts a raw value of type PERF_ELAPSED_TIME to the start in units of 100 ns since 1970;
// false if the start is unknown, as in [counter.ElapsedTime].
func (c *startClock) began(raw uint64) (since1970 uint64, ok bool) {
	if raw == 0 || c.perSecond <= 0 || c.now < 0 || uint64(c.now) < raw {
		return 0, false
	}

	// If the object uses the system clock, as for processes, the value is the exact start, equal in
	// all samples.
	start := raw
	if d := c.now - c.system; c.perSecond != ticksPerSecond || d < -ticksPerSecond || d > ticksPerSecond {
		high, low := bits.Mul64(uint64(c.now)-raw, ticksPerSecond)
		if high >= uint64(c.perSecond) {
			return 0, false
		}
		ago, _ := bits.Div64(high, low, uint64(c.perSecond))
		if c.system < 0 || ago > uint64(c.system) {
			return 0, false
		}
		start = uint64(c.system) - ago
	}
	return start - unixEpoch, start >= unixEpoch
}
