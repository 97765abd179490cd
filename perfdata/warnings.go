package perfdata

import (
	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// warnings makes the checks of severity Warning on what has been decoded.
func (d *decoder) warnings(whole bool) {
	first := map[uint32]uint32{} // offset of the first object by title index
	for i := range d.ix.Objects {
		o := &d.ix.Objects[i]
		d.warnObject(o, first)
		for k := range d.ix.Counters[o.Counter0:o.CounterEnd] {
			d.warnCounter(o, k)
		}
		for k := range d.ix.Instances[o.Instance0:o.InstanceEnd] {
			d.warnInstance(o, k)
		}
	}

	if whole && int(d.end) != len(d.b) {
		d.damage(d.fault(checkSlack, d.end, int64(d.end), int64(len(d.b))))
	}
}

func (d *decoder) warnObject(o *index.Object, first map[uint32]uint32) {
	warn := func(err *winperf.DataError) {
		err.Object.Index = o.Title
		d.damage(err)
	}
	if o.Off%8 != 0 {
		warn(d.fault(checkAlignment, o.Off, int64(o.Off), 8))
	}

	if other, ok := first[o.Title]; ok {
		warn(d.fault(checkDuplicate, o.Off+atObjTitle, int64(o.Title), int64(other)))
	} else {
		first[o.Title] = o.Off
	}
}

func (d *decoder) warnCounter(o *index.Object, k int) {
	c := &d.ix.Counters[int(o.Counter0)+k]
	if c.Off%8 != 0 {
		d.counterDamage(o, k, checkAlignment, c.Off, int64(c.Off), 8)
	}
	if (c.Size == 4 || c.Size == 8) && !c.Type.IsText() && c.Value%c.Size != 0 {
		d.counterDamage(o, k, checkValueAlignment, c.Off+atCtrOffset, int64(c.Value), int64(c.Size))
	}
}

func (d *decoder) warnInstance(o *index.Object, k int) {
	in := &d.ix.Instances[int(o.Instance0)+k]
	warn := func(c check, offset uint32, got, want int64) {
		err := atInstance(d.fault(c, offset, got, want), k)
		err.Object.Index = o.Title
		d.damage(err)
	}

	if in.Off != 0 {
		d.warnDefinition(o, k, warn)
	}
	if in.Block%8 != 0 {
		warn(checkAlignment, in.Block, int64(in.Block), 8)
	}
	if n := d.ix.BlockLen(in); n%8 != 0 {
		warn(checkPadding, in.Block, int64(n), 8)
	}
}

func (d *decoder) warnDefinition(o *index.Object, k int, warn func(c check, offset uint32, got, want int64)) {
	in, link := &d.ix.Instances[int(o.Instance0)+k], d.ix.Link(o, k)
	if in.Off%8 != 0 {
		warn(checkAlignment, in.Off, int64(in.Off), 8)
	}
	if n := in.Block - in.Off; n%8 != 0 {
		warn(checkPadding, in.Off+atInstLength, int64(n), 8)
	}
	if link.Parent < 0 && link.ParentObject != 0 {
		warn(checkParent, in.Off+atInstParentObject, int64(link.ParentObject), int64(link.ParentInstance))
	}
	if n := noCharacters(d.ix.NameBytes(in)); o.CodePage == 0 && n > 0 {
		warn(checkNameText, in.Off+atInstNameLength, int64(in.Name.Len), int64(n))
	}
}

// noCharacters counts what is no character in UTF-16LE text: unpaired
// surrogates and an odd last byte.
func noCharacters(b []byte) (n int) {
	for len(b) > 0 {
		_, size, ok := wire.Rune(b)
		if !ok {
			n++
		}
		b = b[size:]
	}
	return n
}
