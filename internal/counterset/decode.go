package counterset

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// Options control decoding.
type Options struct {
	// Known, if not nil, returns the instance names of an earlier sample for the object at
	// this position, or nil. Comparing them while decoding is much cheaper than a second
	// pass. The code page is 0.
	Known func(position int, title, codePage uint32) *index.Names
	// Object, if not nil, is called after an object was added to the index. same reports
	// that its instances equal Known's.
	Object func(position int, same bool)
}

const maxDamage = 100

// Decode checks a sample of winperf.FormatV2 and fills ix with its content, reusing the
// memory of earlier calls. ix refers to b. Each answer becomes one object, even without
// instances; sets describe the counters.
//
// An error, always a [*winperf.DataError], means that the data could not be read to their
// end; ix has the objects before the damage. Lesser damage is listed in ix.Damage, as is an
// [AnswerError] for each answer with an error.
func Decode(b []byte, sets []winperf.CounterSet, ix *index.Index, opt Options) error {
	d := decoder{ix: ix, opt: opt, memo: memoOf(ix, sets)}
	ix.Reset()
	if err := d.sample(b); err != nil {
		return err
	}
	return nil
}

// decoder is the state of one Decode.
type decoder struct {
	b    []byte // the data, to dwTotalSize
	ix   *index.Index
	opt  Options
	memo *memo
	side bool // ix.Data is memo.side: b followed by rewritten answers
	// The result of Options.Known for the current object; nil after the first different
	// instance.
	known *index.Names
}

func (d *decoder) sample(b []byte) *winperf.DataError {
	h, fatal, err := readHead(b)
	if fatal {
		return err
	}

	whole := b[:min(len(b), MaxBytes)]
	d.b = whole[:h.total]
	d.ix.Data = whole
	d.ix.Clocks = h.clocks
	d.ix.Default = -1
	d.memo.setIdentifiers(whole[h.total:])
	d.identifiers(h.total)

	off := uint32(headerSize)
	for i := range h.answers {
		a, fatal, answerErr := readAnswer(d.b, off)
		if fatal {
			d.memo.placed = min(d.memo.placed, int(i))
			if err == nil {
				err = answerErr
			}
			return err
		}
		off = a.end
		d.answer(int(i), &a, answerErr)
	}

	for i, at := range d.memo.refused {
		a := answer{status: d.memo.idents[at].status}
		d.object(int(h.answers)+i, &a, &d.memo.idents[at])
	}
	return err
}

// identifiers reads the machine's name and the damage of the identifiers behind the data.
// Their offsets are relative to base.
func (d *decoder) identifiers(base uint32) {
	m := d.memo
	if err := m.identErr; err != nil {
		moved := *err
		moved.Offset += int64(base)
		d.damage(&moved)
	}
	if m.machine.Len > 0 {
		d.ix.Machine = index.Span{Off: base + m.machine.Off, Len: m.machine.Len}
	}
}

func (d *decoder) answer(i int, a *answer, err *winperf.DataError) {
	id := d.memo.identifier(uint32(i))
	if id == nil {
		// Reuse the memory of another error: there may be an answer for every 16 bytes.
		if err == nil {
			err = new(winperf.DataError)
		}
		*err = *checkIdentity.Fault(a.off, int64(i), 0)
		d.drop(i, err)
		return
	}

	if err != nil {
		err.Object.GUID = id.set
		d.drop(i, err)
		return
	}
	d.object(i, a, id)
}

// drop lists the reason why the answer at position i has no object.
func (d *decoder) drop(i int, err error) {
	d.memo.placed = min(d.memo.placed, i)
	d.damage(err)
}

func (d *decoder) object(i int, a *answer, id *ident) {
	if a.status != Success && !a.status.absent() {
		d.damage(&AnswerError{Set: id.set, Status: a.status})
	}
	if err := a.empty(); err != nil {
		err.Object.GUID = id.set
		d.damage(err)
	}

	set := d.memo.set(id.set)
	if err := a.undecodable(set); err != nil {
		err.Object.GUID = id.set
		d.drop(i, err)
		return
	}

	l := d.memo.layout(i, d, set, a, id)
	o := index.Object{
		Off: a.off, Len: a.end - a.off, Title: set.title, Help: set.title + 1, Detail: set.info.Detail,
		DefaultCounter: -1, GUID: set.shown, NumInstances: index.NoInstances,
		Instance0: uint32(len(d.ix.Instances)), Link0: int32(len(d.ix.Links)),
	}

	d.recall(o.Title)
	if regular := d.instances(a, l, id); !regular {
		d.rewrite(i, a, l, id, &o)
	}

	o.InstanceEnd = uint32(len(d.ix.Instances))
	n := int32(o.InstanceEnd - o.Instance0)
	if a.form.listsInstances() || id.named() || n == 0 && !set.info.Single() {
		o.NumInstances = n
	}
	if len(d.ix.Links) == int(o.Link0) {
		o.Link0 = -1
	}

	d.place(i, l, &o)
	d.ix.Objects = append(d.ix.Objects, o)
	for _, err := range l.damage {
		d.damage(err)
	}
	if d.opt.Object != nil {
		d.opt.Object(len(d.ix.Objects)-1, d.known.If(d.ix.Links, &o) != nil)
	}
}

// undecodable returns an error if the set of an answer is unknown or the answer is too
// short for its values.
func (a *answer) undecodable(set *set) *winperf.DataError {
	if set.info == nil {
		return checkSet.Fault(a.off, 0, 0)
	}

	left := int64(a.last - a.pos)
	if need := int64(a.values) * dataSize; a.count > 0 && need > left {
		return checkValue.Fault(a.pos, left, need)
	}
	return nil
}

// place adds the object's counters to the index. They are already there if all previous
// objects are unchanged.
func (d *decoder) place(i int, l *layout, o *index.Object) {
	o.Counter0 = uint32(len(d.ix.Counters))
	o.Definitions = l.definitions
	if m := d.memo; i < m.placed {
		d.ix.Counters = d.ix.Counters[:int(o.Counter0)+len(l.counters)]
	} else {
		d.ix.Counters = append(d.ix.Counters, l.counters...)
		if m.placed == i {
			m.placed++
		}
	}
	o.CounterEnd = uint32(len(d.ix.Counters))
}

// recall requests the known instances of the next object.
func (d *decoder) recall(title uint32) {
	if d.known = nil; d.opt.Known != nil {
		d.known = d.opt.Known(len(d.ix.Objects), title, 0)
	}
}

// instances indexes the instances of an answer whose values are in the places of the
// layout, as Windows writes them. Otherwise it returns false and the index is unchanged.
func (d *decoder) instances(a *answer, l *layout, id *ident) bool {
	switch {
	case a.count == 0:
		return true
	case !a.form.listsInstances():
		if id.named() || a.last-a.pos < slotSize*a.values || !l.fits(d.b[a.pos:a.last]) {
			return false
		}
		d.ix.Instances = append(d.ix.Instances, index.Instance{Block: a.pos})
		return true
	}

	width := slotSize * a.values
	if a.count > (a.last-a.pos)/max(width, instanceSize) {
		return false
	}
	d.ix.Instances = slices.Grow(d.ix.Instances, int(a.count))
	d.ix.Links = slices.Grow(d.ix.Links, int(a.count))
	return d.listed(a, l, width)
}

// listed indexes the instances of an answer that lists them.
//
// The index still contains the previous sample, whose places and name lengths mostly are
// right. Taking and checking them lets a processor work on several instances at once
// instead of waiting for each length.
func (d *decoder) listed(a *answer, l *layout, width uint32) (regular bool) {
	n, m := len(d.ix.Instances), len(d.ix.Links)
	instances := d.ix.Instances[n : n+int(a.count)]
	links := d.ix.Links[m : m+int(a.count)]
	known := d.known.Hashes(len(instances))
	b, pos := d.b[:a.last], a.pos
	for i := range instances {
		values, err := readInstanceHeader(b, pos, a.last)
		if err != nil || a.last-values < width || !l.fits(b[values:values+width]) {
			return false
		}

		in := &instances[i]
		if in.Off != pos {
			in.Off = pos
		}
		if in.Block != values {
			in.Block = values
		}

		// A name with the known hash has the known length, so its NUL need not be searched.
		name := b[in.Off+instanceSize : in.Block]
		length := int(in.Name.Len)
		if known == nil || length > len(name) || known[i] != index.HashName(name[:length]) {
			if length = terminated(name); length < 0 {
				return false
			}
			if known != nil && known[i] != index.HashName(name[:length]) {
				known = nil
			}
		}

		in.Name = index.Span{Off: in.Off + instanceSize, Len: uint32(length)}
		links[i] = index.Link{UniqueID: int32(u32(b, int(in.Off)+atInstanceID)), Parent: -1}
		pos = in.Block + width
	}

	d.ix.Instances = d.ix.Instances[:n+len(instances)]
	d.ix.Links = d.ix.Links[:m+len(links)]
	if known == nil {
		d.known = nil
	}
	return true
}

func (d *decoder) damage(err error) {
	if len(d.ix.Damage) == maxDamage {
		d.ix.MoreDamage++
		return
	}
	d.ix.Damage = append(d.ix.Damage, err)
}
