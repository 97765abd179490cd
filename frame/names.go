package frame

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// Labels are the names of the instances of one object. They are immutable and remain usable after the
// frame. Frames of a query share them while the object has the same instances in the same places:
// equal pointers mean that no instance was added, removed or moved.
type Labels struct {
	names []string
	links []index.Link // nil if no instance has a parent or a unique id
	known index.Names  // the names as in the block

	parents []parentLabels

	previous atomic.Pointer[Labels] // source of shared full names, until join
	joined   atomic.Bool

	once    sync.Once
	full    []string // parent/name
	numbers numbers
}

// labels is nil if the sample lacks the object.
type parentLabels struct {
	title  uint32
	labels *Labels
}

// Len returns the number of instances.
func (l *Labels) Len() int { return len(l.names) }

// Name returns the own name of the instance at position i.
func (l *Labels) Name(i int) string { return l.names[i] }

// Full returns parent/name of the instance at position i, or only the name if it has no parent or the
// sample lacks the parent.
func (l *Labels) Full(i int) string {
	l.once.Do(l.join)
	return l.full[i]
}

// Occurrence returns the number of the instance at position i among those with an equal full name, in
// the order of the sample, from 0.
func (l *Labels) Occurrence(i int) int {
	l.once.Do(l.join)
	return l.numbers.nth(i)
}

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

func (l *Labels) join() {
	previous := l.previous.Load()
	l.number(l.joinParents(previous), previous)
	l.joined.Store(true)
	l.previous.Store(nil) // frees the chain of previous labels
}

// Keep compares the names of matched instances. at[i] is the position in older of the instance that
// matches instance i. If the two differ in full name or occurrence, Keep sets at[i] to -1.
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

// joinParents makes the full names, sharing the memory of previous ones, and returns their previous
// positions.
func (l *Labels) joinParents(previous *Labels) (was []int32) {
	if l.full = l.names; l.links != nil {
		l.full = make([]string, len(l.names))
	}
	was = make([]int32, len(l.names))
	older := newSearch(previous)
	for i, name := range l.names {
		parent, below := l.parent(i)
		at := older.find(func(at int) bool {
			if below {
				return previous.isBelow(at, parent, name)
			}
			return previous.full[at] == name
		})

		switch was[i] = int32(at); {
		case l.links == nil:
		case at >= 0:
			l.full[i] = previous.full[at]
		case below:
			l.full[i] = parent + "/" + name
		default:
			l.full[i] = name
		}
	}
	return was
}

func (l *Labels) isBelow(at int, parent, name string) bool {
	full := l.full[at]
	return l.names[at] == name && len(full) == len(parent)+1+len(name) &&
		full[len(parent)] == '/' && full[:len(parent)] == parent
}

// withFullNames returns the labels whose full names newer labels share: l if its full names were
// made, else its source. This prevents a chain of labels.
func (l *Labels) withFullNames() *Labels {
	if l == nil || l.joined.Load() {
		return l
	}
	return l.previous.Load()
}

// unique reports whether no other instance has the full name of instance i. Call byText first.
func (l *Labels) unique(i int) bool {
	return l.numbers.group == nil || l.numbers.size[l.numbers.group[i]] == 1
}

// byText reports whether only the full names, as in the block, identify the instances: none has a
// parent or a unique id.
func (l *Labels) byText() bool {
	l.once.Do(l.join)
	return l.links == nil && !l.numbers.mixed
}

func (s *store) knownNames(position int, title, codePage uint32) *index.Names {
	s.previous = nil
	before := s.into.before
	at := before.find(len(s.into.objects)+position, title)
	if at < 0 {
		return nil
	}

	was := before.objects[at]
	if was.def().CodePage != codePage || was.s.block.Format != s.block.Format {
		return nil
	}
	s.previous = was.Labels()
	return &s.previous.known
}

// label sets the labels of the decoded object at position i: the previous ones if all names are the
// same, without allocation, else new ones that share strings.
func (s *store) label(i int, same bool) {
	d := &s.index.Objects[i]
	if same {
		s.labels = append(s.labels, s.previous)
		return
	}

	n := namer{ix: &s.index, page: d.CodePage, instances: s.index.Instances[d.Instance0:d.InstanceEnd]}
	if d.Link0 >= 0 {
		n.links = s.index.Links[d.Link0:][:len(n.instances)]
	}

	l := n.make(s.previous)
	l.known.Single = d.NumInstances < 0
	s.labels = append(s.labels, l)
}

func (s *store) labelParents() {
	for i, l := range s.labels {
		if l.links != nil && !s.sameParents(l) {
			s.labels[i] = &Labels{
				names: l.names, links: l.links, known: l.known, parents: s.parentsOf(l),
			}
			s.labels[i].previous.Store(l.withFullNames())
		}
	}
}

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

// maxParents is the maximum number of parent objects of one object. Names omit the parents in further
// objects.
const maxParents = 8

func (s *store) labelsOf(title uint32) *Labels {
	if at := s.find(title); at >= 0 {
		return s.labels[at]
	}
	return nil
}

func (s *store) find(title uint32) int {
	return slices.IndexFunc(s.index.Objects, func(o index.Object) bool { return o.Title == title })
}

type namer struct {
	ix        *index.Index
	page      uint32
	instances []index.Instance
	links     []index.Link // unresolved; nil if there are none
}

func (n *namer) make(before *Labels) *Labels {
	l := &Labels{
		names: make([]string, len(n.instances)),
		links: slices.Clone(n.links),
	}
	l.known.Of, l.known.Links = make([]uint64, len(n.instances)), l.links
	l.previous.Store(before.withFullNames())

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

// texts makes strings that share memory of up to textsSize bytes. A string that lives longer keeps
// that alive.
type texts struct {
	buf []byte
	of  []*string // to set, in the order of buf
	end []int
}

const textsSize = 512

// add sets s, at the next flush, to the text that was appended to buf.
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

// search finds names in the previous labels, where most are in the same order.
type search struct {
	n     int
	next  int
	spare int // names that may still be checked beyond lookAhead
}

// lookAhead is the number of positions checked for a name that may be new. More are checked after
// many removals, as long as the total work is linear in the number of names.
const lookAhead = 8

func newSearch(l *Labels) search {
	if l == nil {
		return search{}
	}
	return search{n: len(l.names), spare: 4 * len(l.names)}
}

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

// appendName appends a name: without one the unique id or, without an id, the position.
func (n *namer) appendName(dst []byte, i int) []byte {
	in := &n.instances[i]
	if named := wire.AppendText(dst, n.ix.NameBytes(in), n.page); len(named) > len(dst) {
		return named
	}
	switch {
	case n.links != nil && n.links[i].UniqueID != index.NoUniqueID:
		return strconv.AppendInt(dst, int64(n.links[i].UniqueID), 10)
	case in.Off == 0:
		return dst // the unnamed instance of a single-instance object
	}
	return strconv.AppendInt(dst, int64(i), 10)
}
