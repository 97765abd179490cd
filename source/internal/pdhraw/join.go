package pdhraw

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
)

// joiner joins the blocks of one sample to one block. Objects are copied byte for byte.
type joiner struct {
	parts []part
}

// part is one object of a stored block.
type part struct {
	name   string // of the object, "" if unknown
	head   datablock.HeadBytes
	object datablock.ObjectBytes
	clocks counter.Clocks
	parent uint32 // title index of the parent object of its instances
}

// add splits a block into its objects, up to the first incomplete one.
func (j *joiner) add(name string, block []byte, bad func(text string)) {
	head, ok := datablock.HeadOf(block)
	if !ok {
		return
	}

	p := part{name: name, head: head, clocks: head.Clocks()}
	rest, objects, err := datablock.Objects(block, 0)
	if err != nil && !errors.Is(err, datablock.ErrTruncated) {
		bad(fmt.Sprintf("the block of %s: %v; it is left out", p.name, err))
		return
	}

	for n := range objects {
		if p.object, rest, err = datablock.CutObject(rest); err != nil {
			const form = "the block of %s: object %d of %d: %v; it is left out"
			bad(fmt.Sprintf(form, p.name, n+1, objects, err))
			return
		}
		p.parent = parentOf(p.object)
		j.parts = append(j.parts, p)
	}
}

// parentOf returns the title index of the parent object of the first instance, or 0.
func parentOf(object datablock.ObjectBytes) uint32 {
	if object.NumInstances() <= 0 {
		return 0
	}
	_, instances := object.Split()
	first, _, err := datablock.CutInstance(instances)
	if err != nil {
		return 0
	}
	parent, _ := first.Parent()
	return parent
}

// append appends all wanted objects, and returns their number. Objects whose clocks differ from the
// head carry them.
func (j *joiner) append(dst []byte, b *Builder, head counter.Clocks) (_ []byte, count int) {
	for i := range j.parts {
		p := &j.parts[i]
		if !j.selected(p, b) {
			continue
		}
		count++
		if p.clocks != head {
			dst = datablock.AppendObject(dst, p.object, p.clocks)
			continue
		}
		dst = append(dst, p.object...)
	}
	return dst, count
}

// selected reports whether an object is wanted, or is the parent of a wanted one.
func (j *joiner) selected(p *part, b *Builder) bool {
	if b.selects == nil || p.name == "" || b.selects(p.name, p.object.Title()) {
		return true
	}
	for i := range j.parts {
		q := &j.parts[i]
		isParent := q.parent != 0 && q.parent == p.object.Title()
		if isParent && (q.name == "" || b.selects(q.name, q.object.Title())) {
			return true
		}
	}
	return false
}
