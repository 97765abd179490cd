package frame

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// Labels are what the instances of one object are called. They are immutable.
// Two frames of a query share them as long as the object has the same
// instances in the same places, so comparing pointers tells that nothing came,
// went or moved.
type Labels struct {
	names []string
	links []index.Link // nil where no instance has a parent or a unique id
	known index.Names  // the names as they were spelled

	parents []parentLabels // of the objects that links name

	former atomic.Pointer[Labels] // whose full names may go on, until what follows is made
	joined atomic.Bool            // it is

	once    sync.Once
	full    []string // parent/name
	numbers numbers  // of equal full names
}

// parentLabels are the labels of a parent object, nil where it is not in the sample.
type parentLabels struct {
	title  uint32
	labels *Labels
}

// Len is the number of instances.
func (l *Labels) Len() int { return len(l.names) }

// Name is the own name of the instance at position i.
func (l *Labels) Name(i int) string { return l.names[i] }

// Full is parent/name of the instance at position i, or the name alone where
// there is no parent or it is not in the sample.
func (l *Labels) Full(i int) string {
	l.once.Do(l.join)
	return l.full[i]
}

// Occurrence is the number of the instance at position i among those with an
// equal full name, in the order of the sample, from 0.
func (l *Labels) Occurrence(i int) int {
	l.once.Do(l.join)
	return l.numbers.nth(i)
}

// parent is the name of an instance's parent; ok is false where it has none or
// it is not in the sample.
func (l *Labels) parent(i int) (name string, ok bool) {
	if l.links == nil || l.links[i].ParentObject == 0 {
		return "", false
	}
	k := &l.links[i]
	for _, p := range l.parents {
		if p.title != k.ParentObject || p.labels == nil {
			continue
		}
		if names := p.labels.names; int64(k.ParentInstance) < int64(len(names)) {
			return names[k.ParentInstance], true
		}
	}
	return "", false
}

// join makes the full names and counts equal ones.
func (l *Labels) join() {
	former := l.former.Load()
	l.number(l.joinParents(former), former)
	l.joined.Store(true)
	l.former.Store(nil) // or all labels that there ever were would stay
}

// Keep sets at[i] to -1 where the instance at position i does not have the full name and
// occurrence that the one at position at[i] of older labels has.
func (l *Labels) Keep(older *Labels, at []int32) {
	l.once.Do(l.join)
	older.once.Do(older.join)
	for i, j := range at {
		if j < 0 || l == older && int(j) == i {
			continue
		}
		was := int(j)
		if was >= older.Len() || l.full[i] != older.full[was] || l.numbers.nth(i) != older.numbers.nth(was) {
			at[i] = -1
		}
	}
}

// joinParents puts the names of parents before those of instances that have one. Where
// a full name was there before, its memory is shared. It returns the positions where
// they were, -1 for nowhere.
func (l *Labels) joinParents(former *Labels) (was []int32) {
	if l.full = l.names; l.links != nil {
		l.full = make([]string, len(l.names))
	}
	was = make([]int32, len(l.names))
	older := newSearch(former)
	for i, name := range l.names {
		parent, below := l.parent(i)
		at := older.find(func(at int) bool {
			if below {
				return former.isBelow(at, parent, name)
			}
			return former.full[at] == name
		})

		switch was[i] = int32(at); {
		case l.links == nil:
		case at >= 0:
			l.full[i] = former.full[at]
		case below:
			l.full[i] = parent + "/" + name
		default:
			l.full[i] = name
		}
	}
	return was
}

// isBelow reports whether the full name at a position is parent/name.
func (l *Labels) isBelow(at int, parent, name string) bool {
	full := l.full[at]
	return l.names[at] == name && len(full) == len(parent)+1+len(name) &&
		full[len(parent)] == '/' && full[:len(parent)] == parent
}

// goOn returns the labels for newer ones to share full names with: these, where
// anybody asked for their full names, else those that they would have shared. So there
// is never a chain of them.
func (l *Labels) goOn() *Labels {
	if l == nil || l.joined.Load() {
		return l
	}
	return l.former.Load()
}

// unique reports whether no other instance has the full name of the one at position
// i. It is to be asked after byText.
func (l *Labels) unique(i int) bool {
	return l.numbers.group == nil || l.numbers.size[l.numbers.group[i]] == 1
}

// byText reports whether the full names, as they are spelled, are all that the
// instances are known by: none has a parent or a unique id.
func (l *Labels) byText() bool {
	l.once.Do(l.join)
	return l.links == nil && !l.numbers.mixed
}

// knownNames are what the instances of an object, which is to be decoded, were called in
// the frame before; nil where it was not there.
func (s *store) knownNames(position int, title, codePage uint32) *index.Names {
	s.former = nil
	before := s.into.before
	at := before.find(len(s.into.objects)+position, title)
	if at < 0 {
		return nil
	}

	was := before.objects[at]
	if was.def().CodePage != codePage || was.s.block.Format != s.block.Format {
		return nil
	}
	s.former = was.Labels()
	return &s.former.known
}

// label gives the object at position i, which was just decoded, its labels:
// those of the frame before where they still hold, which allocates nothing, or
// new ones that share the strings of names that are still there.
func (s *store) label(i int, same bool) {
	d := &s.index.Objects[i]
	if same {
		s.labels = append(s.labels, s.former)
		return
	}

	n := namer{ix: &s.index, page: d.CodePage, instances: s.index.Instances[d.Instance0:d.InstanceEnd]}
	if d.Link0 >= 0 {
		n.links = s.index.Links[d.Link0:][:len(n.instances)]
	}

	l := n.make(s.former)
	l.known.Single = d.NumInstances < 0
	s.labels = append(s.labels, l)
}

// labelParents gives new labels to the objects whose instances are the same, but
// below other parents.
func (s *store) labelParents() {
	for i, l := range s.labels {
		if l.links != nil && !s.sameParents(l) {
			s.labels[i] = &Labels{
				names: l.names, links: l.links, known: l.known, parents: s.parentsOf(l),
			}
			s.labels[i].former.Store(l.goOn())
		}
	}
}

// sameParents reports whether the labels were made with the parents that the
// frame has.
func (s *store) sameParents(l *Labels) bool {
	for _, p := range l.parents {
		if s.labelsOf(p.title) != p.labels {
			return false
		}
	}
	return l.parents != nil
}

func (s *store) parentsOf(l *Labels) []parentLabels {
	parents := []parentLabels{}
	for i := range l.links {
		title := l.links[i].ParentObject
		if title == 0 || slices.ContainsFunc(parents, func(p parentLabels) bool { return p.title == title }) {
			continue
		}
		if len(parents) == maxParents {
			break
		}
		parents = append(parents, parentLabels{title, s.labelsOf(title)})
	}
	return parents
}

// maxParents bounds how many objects the instances of one object may have their
// parents in; the ones in further objects are called without them.
const maxParents = 8

func (s *store) labelsOf(title uint32) *Labels {
	if at := s.find(title); at >= 0 {
		return s.labels[at]
	}
	return nil
}

// find returns the position of the object with the title index; -1 if there is
// none.
func (s *store) find(title uint32) int {
	return slices.IndexFunc(s.index.Objects, func(o index.Object) bool { return o.Title == title })
}

// namer makes the labels of one object.
type namer struct {
	ix        *index.Index
	page      uint32
	instances []index.Instance
	links     []index.Link // not resolved; nil where there are none
}

// make makes new labels. They share the strings of before, if there are any.
func (n *namer) make(before *Labels) *Labels {
	l := &Labels{
		names: make([]string, len(n.instances)),
		links: slices.Clone(n.links),
	}
	l.known.Of, l.known.Links = make([]uint64, len(n.instances)), l.links
	l.former.Store(before.goOn())

	var fresh texts
	older := newSearch(before)
	for i := range n.instances {
		name := n.ix.NameBytes(&n.instances[i])
		hash := index.HashName(name)
		l.known.Of[i] = hash
		is := func(at int) bool { return len(name) > 0 && before.known.Of[at] == hash }
		if at := older.find(is); at >= 0 {
			l.names[i] = before.names[at]
			continue
		}
		fresh.add(&l.names[i], n.appendName(fresh.buf, i))
	}
	fresh.flush()
	return l
}

// texts makes strings that share memory, up to textsSize bytes of it: one for each
// would take several times that. What is left of them when one lives on is no more.
type texts struct {
	buf []byte
	of  []*string // to be set, in the order of buf
	end []int     // where each ends
}

const textsSize = 512

// add has s set to what buf holds beyond the texts before.
func (t *texts) add(s *string, buf []byte) {
	t.buf, t.of, t.end = buf, append(t.of, s), append(t.end, len(buf))
	if len(buf) >= textsSize {
		t.flush()
	}
}

func (t *texts) flush() {
	all, begin := string(t.buf), 0
	for i, s := range t.of {
		*s = all[begin:t.end[i]]
		begin = t.end[i]
	}
	t.buf, t.of, t.end = t.buf[:0], t.of[:0], t.end[:0]
}

// search finds the names of a sample in the labels of the one before, where nearly all
// stand in the same order.
type search struct {
	n     int // how many there are
	next  int // where the next name is expected
	spare int // how many names may still be looked at farther than lookAhead
}

// lookAhead is how many names are looked at for one that may be new. Farther ones are,
// too, for a name behind many that left, as long as the work of all searches together
// does not grow faster than the number of names.
const lookAhead = 8

func newSearch(l *Labels) search {
	if l == nil {
		return search{}
	}
	return search{n: len(l.names), spare: 4 * len(l.names)}
}

// find returns the position of the name that is accepted, -1 if it was not found.
func (s *search) find(is func(at int) bool) int {
	for at := s.next; at < s.n; at++ {
		if at > s.next+lookAhead {
			if s.spare == 0 {
				break
			}
			s.spare--
		}
		if is(at) {
			s.next = at + 1
			return at
		}
	}
	return -1
}

// appendName appends a name. An instance without one is called by its unique id
// or, if it has none either, by its position.
func (n *namer) appendName(dst []byte, i int) []byte {
	in := &n.instances[i]
	if named := wire.AppendText(dst, n.ix.NameBytes(in), n.page); len(named) > len(dst) {
		return named
	}
	switch {
	case n.links != nil && n.links[i].UniqueID != index.NoUniqueID:
		return strconv.AppendInt(dst, int64(n.links[i].UniqueID), 10)
	case in.Off == 0:
		return dst // the one unnamed thing of a single-instance object
	}
	return strconv.AppendInt(dst, int64(i), 10)
}
