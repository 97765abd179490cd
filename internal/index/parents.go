package index

import (
	"cmp"
	"slices"
)

// title is a title index and the position of its object in Objects.
type title struct {
	index uint32
	obj   int32
}

// ResolveParents sets Parent of every instance that names a parent: of several
// objects with the parent's title index the first one counts. A parent that is
// not there is -1. A parent is looked up and not followed, so objects that name
// each other, or themselves, do no harm.
func (ix *Index) ResolveParents() {
	for i := range ix.Objects {
		o := &ix.Objects[i]
		if o.Link0 < 0 {
			continue
		}

		known, first, count := uint32(0), uint32(0), uint32(0)
		links := ix.Links[o.Link0:][:o.InstanceEnd-o.Instance0]
		for k := range links {
			in := &links[k]
			if in.ParentObject == 0 {
				continue
			}
			if in.ParentObject != known {
				known = in.ParentObject
				first, count = ix.instancesOf(known)
			}
			if in.ParentInstance < count {
				in.Parent = int32(first + in.ParentInstance)
			}
		}
	}
}

// instancesOf returns where in Instances those of the first object with a title
// index begin and how many there are.
func (ix *Index) instancesOf(index uint32) (first, count uint32) {
	if len(ix.titles) != len(ix.Objects) {
		ix.sortTitles()
	}
	i, ok := slices.BinarySearchFunc(ix.titles, index, func(t title, index uint32) int {
		return cmp.Compare(t.index, index)
	})
	if !ok {
		return 0, 0
	}
	o := &ix.Objects[ix.titles[i].obj]
	return o.Instance0, o.InstanceEnd - o.Instance0
}

// sortTitles orders the objects by title index and then by position.
func (ix *Index) sortTitles() {
	ix.titles = ix.titles[:0]
	for i := range ix.Objects {
		ix.titles = append(ix.titles, title{ix.Objects[i].Title, int32(i)})
	}
	slices.SortFunc(ix.titles, func(a, b title) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.obj, b.obj))
	})
}
