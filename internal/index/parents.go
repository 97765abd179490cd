package index

import (
	"cmp"
	"slices"
)

// title is an object's title index and position in Objects.
type title struct {
	index uint32
	obj   int32
}

// ResolveParents sets Parent of every instance with a parent, or -1 if the parent is missing. If
// several objects have the parent's title index, the first one counts. Parents are looked up but
// not followed, so cycles are harmless.
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

// instancesOf returns the position in Instances and the number of the instances of the first object
// with a title index.
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
