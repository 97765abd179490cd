package counterset

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// An answer with values in different places for each instance, without a size, or with an
// instance named only by the identifier, is rewritten behind a copy of the sample, in one
// layout and with a bit map of missing values. Windows is not known to return such answers,
// but the interface allows them.

// rewrite indexes the readable instances of such an answer, at position i.
func (d *decoder) rewrite(i int, a *answer, l *layout, id *ident, o *index.Object) {
	r := rewriter{d: d, a: a, l: l, id: id, sizes: make([]uint32, a.values)}
	err := r.measure()
	if err != nil {
		err.Object.GUID = id.set
		d.damage(err)
	}

	for k, size := range r.sizes {
		if want := uint32(l.expect[k]); size != 0 && size != want {
			// Definitions change, and everything compiled from them.
			l.build(r.sizes)
			d.memo.placed = min(d.memo.placed, i)
			break
		}
	}

	m := d.memo
	if !d.side {
		m.side = append(m.side[:0], d.ix.Data...)
		d.side = true
	}
	if r.missing {
		o.Missing = slotSize * a.values
	}
	r.write()
	d.ix.Data = m.side
}

type rewriter struct {
	d       *decoder
	a       *answer
	l       *layout
	id      *ident
	sizes   []uint32 // the largest value of each counter, 0 = none
	count   int      // of complete instances
	missing bool     // an instance lacks a value
}

// measure reads all instances and determines the layout.
func (r *rewriter) measure() *winperf.DataError {
	pos := r.a.pos
	for i := range r.a.count {
		next, err := r.instance(pos, func(k int, v value) {
			if v.ok() {
				r.sizes[k] = max(r.sizes[k], v.size)
			} else {
				r.missing = true
			}
		})

		if err != nil {
			if r.a.form.listsInstances() {
				err.Part = "instance"
				err.Number = int(i)
			}
			return err
		}
		pos = next
		r.count++
	}
	return nil
}

func (r *rewriter) instance(pos uint32, each func(k int, v value)) (end uint32, err *winperf.DataError) {
	if r.a.form.listsInstances() {
		if pos, _, err = readInstance(r.d.b, pos, r.a.last); err != nil {
			return 0, err
		}
	}

	for k := range int(r.a.values) {
		v, next, err := readValue(r.d.b, pos, r.a.last)
		if err != nil {
			return 0, err
		}
		each(k, v)
		pos = next
	}
	return pos, nil
}

// write writes the instances and indexes them.
func (r *rewriter) write() {
	d, pos := r.d, r.a.pos
	for i := range r.count {
		in := r.header(i, pos)
		block := len(d.memo.side)
		in.Block = uint32(block)
		d.memo.side = append(d.memo.side, make([]byte, int(r.a.values)*slotSize)...)

		if r.missing {
			d.memo.side = append(d.memo.side, make([]byte, (r.a.values+7)/8)...)
			d.memo.side = pad(d.memo.side, block)
		}

		b := d.memo.side[block:]
		pos, _ = r.instance(pos, func(k int, v value) {
			if !v.ok() {
				b[int(r.a.values)*slotSize+k/8] |= 1 << (k % 8)
				return
			}
			le.PutUint64(b[slotSize*k:], r.l.expect[k])
			le.PutUint64(b[slotSize*k+dataSize:], v.bits)
		})
		d.ix.Instances = append(d.ix.Instances, in)
	}
}

// header writes the PERF_INSTANCE_HEADER of the instance at position i, which is at pos if
// it has one.
func (r *rewriter) header(i int, pos uint32) (in index.Instance) {
	d, id, name := r.d, r.id.instanceID, r.id.name
	switch {
	case r.a.form.listsInstances():
		_, n, _ := readInstance(d.b, pos, r.a.last) // checked before
		id = u32(d.b, int(pos)+atInstanceID)
		name = d.b[pos+instanceSize:][:n]
	case !r.id.named():
		return in
	}

	m := d.memo
	start := len(m.side)
	m.side = le.AppendUint32(m.side, 0)
	m.side = le.AppendUint32(m.side, id)
	m.side = pad(append(m.side, name...), start)
	le.PutUint32(m.side[start:], uint32(len(m.side)-start))
	in.Off = uint32(start)
	in.Name = index.Span{Off: in.Off + instanceSize, Len: uint32(len(name))}
	d.ix.Links = append(d.ix.Links, index.Link{UniqueID: int32(id), Parent: -1})
	if known := d.known.Hashes(r.count); known == nil || known[i] != index.HashName(name) {
		d.known = nil
	}
	return in
}
