package pdhraw

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
)

// sample is the part of the current sample that belongs to one object. Its memory is reused for the
// next sample.
type sample struct {
	values []Value // single instances first, then arrays
	fixed  int     // number of single instances
	names  []byte  // of the arrays' instances, each with a NUL; see sameInstances
	before []byte  // names of the previous sample

	valid  []bool // by value
	clocks counter.Clocks
	votes  [counter.ObjectClock + 1]vote // by clock
}

// vote finds the majority value, if more than half of all values are equal (Boyer and Moore).
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

// begin begins a sample without values.
func (o *object) begin(selected bool) {
	o.selected = selected
	o.names, o.before = o.before[:0], o.names
	o.values = slices.Grow(o.values[:0], o.fixed)[:o.fixed]
	clear(o.values)
	for i := range o.entries {
		if e := &o.entries[i]; e.row < 0 {
			e.first, e.n, e.names = 0, 0, 0
		}
	}
}

// item adds the value of an array's next instance. Of an unwanted object only the clocks are
// needed.
func (o *object) item(e *entry, name []byte, v Value) {
	if e.n == 0 {
		e.first, e.names = len(o.values), len(o.names)
	}
	e.n++
	o.values = append(o.values, v)
	if o.selected {
		o.names = append(append(o.names, name...), 0, 0)
	}
}

// of returns the values of an entry.
func (o *object) of(e *entry) []Value { return o.values[e.first:][:e.n] }

// look examines the object's clocks in a sample, and the sizes that its values need.
func (o *object) look() {
	clear(o.votes[:])
	for i := range o.entries {
		e := &o.entries[i]
		c := &o.columns[e.column]
		for _, v := range o.of(e) {
			if !v.Valid {
				continue
			}
			if c.clock != counter.NoClock {
				o.votes[c.clock].add(v.Second)
			}
			o.widen(&c.size, v.First)
			if c.isBase {
				o.widen(&c.baseSize, v.Second)
			}
		}
	}

	o.clocks.PerfTime, o.clocks.Time100ns = o.votes[counter.TickClock].v, o.votes[counter.Clock100ns].v
	o.clocks.ObjectTime = o.votes[counter.ObjectClock].v
	if o.perValue {
		o.separate()
	}
}

// separate marks columns whose clocks differ from the object's; they get separate clocks.
func (o *object) separate() {
	for i := range o.entries {
		e := &o.entries[i]
		c := &o.columns[e.column]
		now, _ := o.clocks.At(c.clock)
		differs := func(v Value) bool { return v.Valid && v.Second != now }
		if c.clock != counter.NoClock && !c.own && slices.ContainsFunc(o.of(e), differs) {
			c.own, o.changed = true, true
		}
	}
}

// widen enlarges a value of 4 bytes to 8 if it needs them: PDH does not report the size, and some
// servers have values larger than the type allows.
func (o *object) widen(size *uint32, v int64) {
	if *size == 4 && !fits(v, 4) {
		*size, o.changed = 8, true
	}
}

// append appends the object to a block whose head has the given clocks.
func (o *object) append(dst []byte, head counter.Clocks, bad func(text string)) []byte {
	own := o.clocksFor(head)
	if own != head && !o.valueClocks {
		o.valueClocks, o.changed = true, true
	}
	if !o.sameInstances() || o.changed {
		o.template.made, o.marked.made, o.changed = false, false, false
	}

	// Most samples have all values and need no bit map of missing ones.
	t := &o.template
	if err := o.make(t, false, bad); err != nil {
		return dst
	}

	if o.check(bad) != t.cells {
		t = &o.marked
		if err := o.make(t, true, bad); err != nil {
			return dst
		}
	}

	start := len(dst)
	dst = append(dst, t.bytes...)
	o.write(dst[start:], t)
	o.writeClocks(dst[start:], own)
	return dst
}

// sameInstances reports whether the values belong to the same instances, in the same order, as in
// the previous sample. For the comparison it appends to names the size of each array and the
// presence of each single instance.
func (o *object) sameInstances() bool {
	for i := range o.entries {
		e := &o.entries[i]
		switch {
		case e.row < 0:
			o.names = binary.LittleEndian.AppendUint32(o.names, uint32(e.first))
			o.names = binary.LittleEndian.AppendUint32(o.names, uint32(e.n))
		case o.values[e.first].Absent:
			o.names = append(o.names, 1)
		default:
			o.names = append(o.names, 0)
		}
	}
	return o.template.made && bytes.Equal(o.names, o.before)
}

// make builds the template for the instances of a sample, unless it exists.
func (o *object) make(t *template, marked bool, bad func(text string)) error {
	if t.made {
		return nil
	}
	r := o.instances()
	if slices.Contains(r.values, tooHigh) && !marked {
		const form = "the object %s has instances with numbers that are too high; they are left out"
		bad(fmt.Sprintf(form, o.name))
	}

	err := t.make(o, r, marked)
	if err != nil {
		bad(fmt.Sprintf("the object %s: %v; it is left out", o.name, err))
	}
	return err
}

// check finds the usable values, and returns the number of places that they fill.
func (o *object) check(bad func(text string)) (filled int) {
	o.valid = slices.Grow(o.valid[:0], len(o.values))[:len(o.values)]
	for i := range o.entries {
		e := &o.entries[i]
		c := &o.columns[e.column]
		now, _ := o.clocks.At(c.clock)

		for n := e.first; n < e.first+e.n; n++ {
			v, p := &o.values[n], &o.template.places[n]
			ok := v.Valid && p.value != 0
			if ok && c.clock != counter.NoClock && !c.own && v.Second != now {
				const form = "a value of the object %s has a clock of %d, but others have %d; it is left out"
				bad(fmt.Sprintf(form, o.name, v.Second, now))
				ok = false
			}
			o.valid[n] = ok
			if ok && !p.again {
				filled++
			}
		}
	}
	return filled
}

// clocksFor returns the clocks of the object, with those missing taken from the head.
func (o *object) clocksFor(head counter.Clocks) counter.Clocks {
	own := head
	if o.votes[counter.TickClock].seen {
		own.PerfTime = o.clocks.PerfTime
	}
	if o.votes[counter.Clock100ns].seen {
		own.Time100ns = o.clocks.Time100ns
	}
	if freq := o.frequency(counter.TickClock); freq != 0 {
		own.PerfFreq = freq
	}
	return own
}

// frequency returns the time base of the counters that use a clock, or 0.
func (o *object) frequency(clock counter.Clock) int64 {
	for k := range o.columns {
		if c := &o.columns[k]; c.typ.Clock() == clock {
			return c.timeBase
		}
	}
	return 0
}

// write puts the values of a sample into a copy of the template.
func (o *object) write(b []byte, t *template) {
	for i := range o.entries {
		e := &o.entries[i]
		c := &o.columns[e.column]
		for n, v := range o.of(e) {
			p := &t.places[e.first+n]
			if !o.valid[e.first+n] {
				if v.Denied && p.value != 0 && t == &o.marked {
					put(b[p.value:], c.size, datablock.AccessDenied)
				}
				continue
			}

			put(b[p.value:], c.size, v.First)
			if c.base != 0 {
				base := v.Second
				if !c.isBase {
					base = int64(v.Multi)
				}
				put(b[p.base:], c.baseSize, base)
			}

			if c.own {
				put(b[p.clock:], 8, v.Second)
				put(b[p.frequency:], 8, e.timeBase)
			}

			if t == &o.marked {
				b[p.mark] &^= p.bit
				b[p.baseMark] &^= p.baseBit
			}
		}
	}
}

func put(b []byte, size uint32, v int64) {
	if size == 4 {
		binary.LittleEndian.PutUint32(b, uint32(v))
		return
	}
	binary.LittleEndian.PutUint64(b, uint64(v))
}

// writeClocks puts the times of a sample into a copy of the template.
func (o *object) writeClocks(b datablock.ObjectBytes, own counter.Clocks) {
	if freq := o.frequency(counter.ObjectClock); freq != 0 {
		b.SetClock(o.clocks.ObjectTime, freq)
	}
	if o.valueClocks {
		b.SetSampleClocks(own)
	}
}
