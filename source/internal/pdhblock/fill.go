package pdhblock

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/pdhlog"
	"github.com/winperf/winperf/perfdata"
)

// sampleState is what an object has of the sample at hand. Its memory serves
// the next one.
type sampleState struct {
	instances []byte // which instances the values are of, to tell others from the same
	scratch   []byte
	valid     []bool // by value
	clocks    counter.Clocks
	votes     [pdhlog.SecondObject + 1]vote
}

// vote finds the value that most have, if more than half of all have it (Boyer
// and Moore).
type vote struct {
	v    int64
	n    int
	seen bool
}

func (v *vote) add(x int64) {
	v.seen = true
	switch {
	case v.n == 0:
		v.v, v.n = x, 1
	case v.v == x:
		v.n++
	default:
		v.n--
	}
}

// raw is one raw value: of a single counter, or an item of an array.
type raw struct {
	first, second int64
	multi         uint32
	valid         bool
}

// each calls f for every value of a sample, in the order of the entries and, in
// arrays, of the items.
func (o *object) each(values []pdhlog.BLGValue, f func(n, column int, r raw)) {
	n := 0
	for i := range o.entries {
		e := &o.entries[i]
		v := &values[e.list]
		if e.row >= 0 {
			f(n, e.column, raw{v.First, v.Second, v.Multi, v.Valid() && v.Kind == pdhlog.BLGSingle})
			n++
			continue
		}
		for j := range v.Items {
			it := &v.Items[j]
			f(n, e.column, raw{it.First, it.Second, it.Multi, v.Valid()})
			n++
		}
	}
}

// look takes in what a sample has for the object: its clocks, and which sizes
// the values need.
func (o *object) look(values []pdhlog.BLGValue) {
	s := &o.sample
	clear(s.votes[:])
	o.each(values, func(_, column int, r raw) {
		c := &o.columns[column]
		if !r.valid {
			return
		}
		if c.role != pdhlog.SecondBase && c.role != pdhlog.SecondNothing {
			s.votes[c.role].add(r.second)
		}
		o.widen(&c.size, r.first)
		if c.role == pdhlog.SecondBase {
			o.widen(&c.baseSize, r.second)
		}
	})
	s.clocks.PerfTime, s.clocks.Time100ns = s.votes[pdhlog.SecondTicks].v, s.votes[pdhlog.Second100ns].v
	s.clocks.ObjectTime = s.votes[pdhlog.SecondObject].v
}

// widen gives a value of 4 bytes 8 once it needs them: a log does not tell the
// size, and some servers have larger ones than the type says.
func (o *object) widen(size *uint32, v int64) {
	if *size == 4 && !fits(v, 4) {
		*size, o.changed = 8, true
	}
}

// append appends the object to a block whose head has the given clocks.
func (o *object) append(dst []byte, values []pdhlog.BLGValue, head counter.Clocks, bad func(text string)) []byte {
	s := &o.sample
	own := o.clocksFor(head)
	if own != head && !o.ownClocks {
		o.ownClocks, o.changed = true, true
	}
	if !o.sameInstances(values) || o.changed {
		o.template.made, o.marked.made, o.changed = false, false, false
	}
	s.instances, s.scratch = s.scratch, s.instances
	t := &o.template
	if err := o.make(t, values, false, bad); err != nil {
		return dst
	}
	if o.check(values, bad) != t.cells {
		t = &o.marked
		if err := o.make(t, values, true, bad); err != nil {
			return dst
		}
	}
	start := len(dst)
	dst = append(dst, t.bytes...)
	o.write(dst[start:], t, values)
	o.writeClocks(dst[start:], own)
	return dst
}

// sameInstances tells whether the values are of the same instances, in the same
// order, as those of the sample before. It leaves in scratch what tells that.
func (o *object) sameInstances(values []pdhlog.BLGValue) bool {
	s := &o.sample
	b := s.scratch[:0]
	for i := range o.entries {
		e := &o.entries[i]
		v := &values[e.list]
		if e.row >= 0 {
			absent := byte(0)
			if v.Status == pdhlog.CStatusNoInstance {
				absent = 1
			}
			b = append(b, absent)
			continue
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(len(v.Items)))
		for j := range v.Items {
			b = append(append(b, v.Items[j].Name...), 0, 0)
		}
	}
	s.scratch = b
	return bytes.Equal(b, s.instances) && o.template.made
}

// make makes a template for the instances of a sample, unless it is there.
func (o *object) make(t *template, values []pdhlog.BLGValue, marked bool, bad func(text string)) error {
	if t.made {
		return nil
	}
	r := o.instances(values)
	if slices.Contains(r.values, tooHigh) && !marked {
		bad(fmt.Sprintf("the object %s has instances with numbers that are too high; they are left out", o.name))
	}
	err := t.make(o, r, values, marked)
	if err != nil {
		bad(fmt.Sprintf("the object %s: %v; it is left out", o.name, err))
	}
	return err
}

// check finds out which values can be used, and returns how many those are.
func (o *object) check(values []pdhlog.BLGValue, bad func(text string)) (valid int) {
	s := &o.sample
	s.valid = s.valid[:0]
	o.each(values, func(n, column int, r raw) {
		c := &o.columns[column]
		ok := r.valid && o.template.places[n].value != 0
		if ok && r.second != o.clockOf(c.role, r.second) {
			bad(fmt.Sprintf("a value of the object %s has a clock of %d, but others have %d; it is left out", o.name, r.second, o.clockOf(c.role, 0)))
			ok = false
		}
		if ok {
			valid++
		}
		s.valid = append(s.valid, ok)
	})
	return valid
}

// clockOf is the clock that values with this role of Second must have; any is
// right for the others.
func (o *object) clockOf(role pdhlog.BLGRole, any int64) int64 {
	c := &o.sample.clocks
	switch role {
	case pdhlog.SecondTicks:
		return c.PerfTime
	case pdhlog.Second100ns:
		return c.Time100ns
	case pdhlog.SecondObject:
		return c.ObjectTime
	}
	return any
}

// clocksFor returns the clocks that the object needs: the head's where it has
// none.
func (o *object) clocksFor(head counter.Clocks) counter.Clocks {
	s := &o.sample
	own := head
	if s.votes[pdhlog.SecondTicks].seen {
		own.PerfTime = s.clocks.PerfTime
	}
	if s.votes[pdhlog.Second100ns].seen {
		own.Time100ns = s.clocks.Time100ns
	}
	if freq := o.frequency(counter.TickClock); freq != 0 {
		own.PerfFreq = freq
	}
	return own
}

// frequency is the time base of the counters that use a clock, 0 where there is
// none.
func (o *object) frequency(clock counter.Clock) int64 {
	for k := range o.columns {
		if c := &o.columns[k]; c.typ.Clock() == clock {
			return c.timeBase
		}
	}
	return 0
}

// write puts the values of a sample into a copy of the template.
func (o *object) write(b []byte, t *template, values []pdhlog.BLGValue) {
	le := binary.LittleEndian
	o.each(values, func(n, column int, r raw) {
		p := &t.places[n]
		if p.value == 0 || !o.sample.valid[n] {
			return
		}
		c := &o.columns[column]
		put(le, b[p.value:], c.size, r.first)
		if t == &o.marked {
			b[p.mark] &^= p.bit
		}
		if c.base == 0 {
			return
		}
		base := r.second
		if c.role != pdhlog.SecondBase {
			base = int64(r.multi)
		}
		put(le, b[p.base:], c.baseSize, base)
		if t == &o.marked {
			b[p.baseMark] &^= p.baseBit
		}
	})
}

func put(le binary.ByteOrder, b []byte, size uint32, v int64) {
	if size == 4 {
		le.PutUint32(b, uint32(v))
		return
	}
	le.PutUint64(b, uint64(v))
}

// writeClocks puts the times of a sample into a copy of the template.
func (o *object) writeClocks(b perfdata.ObjectBytes, own counter.Clocks) {
	if freq := o.frequency(counter.ObjectClock); freq != 0 {
		b.SetClock(o.sample.clocks.ObjectTime, freq)
	}
	if o.ownClocks {
		b.SetSampleClocks(own)
	}
}
