package counterset

import (
	"bytes"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// memo is the part of an index that is kept between samples: decoded registrations and
// identifiers, and the layouts of the answers.
type memo struct {
	sets    []winperf.CounterSet
	byGUID  map[winperf.GUID]*set
	round   uint64 // counts samples
	layouts []*layout
	// placed is the number of layouts, from the first on, whose counters are unchanged in
	// the index.
	placed int

	identBytes []byte // the bytes of idents
	idents     []ident
	byIndex    map[uint32]int
	refused    []int // positions of identifiers without an answer
	identErr   *winperf.DataError
	machine    index.Span // of identBytes

	side []byte // a sample followed by rewritten answers
}

// memoOf returns the index's memo for samples with the sets.
func memoOf(ix *index.Index, sets []winperf.CounterSet) *memo {
	m, ok := ix.Memo.(*memo)
	if !ok {
		m = &memo{byGUID: map[winperf.GUID]*set{}}
		ix.Memo = m
	}

	same := len(sets) == len(m.sets) && (len(sets) == 0 || &sets[0] == &m.sets[0])
	if !same {
		m.sets = sets
		clear(m.byGUID)
	}
	m.round++
	return m
}

// set is a counter set. Its registration is decoded on first use.
type set struct {
	guid  winperf.GUID
	shown winperf.GUID // zero if made up by a source
	title uint32
	info  *Info // nil if unknown
	byID  map[uint32]int
	round uint64 // of the last sample that listed its counters without values
}

func (m *memo) set(guid winperf.GUID) *set {
	if s := m.byGUID[guid]; s != nil {
		return s
	}
	at := slices.IndexFunc(m.sets, func(s winperf.CounterSet) bool { return s.GUID == guid })
	if at < 0 {
		return &set{guid: guid}
	}

	s := &set{guid: guid, shown: guid, title: m.sets[at].Title, byID: map[uint32]int{}}
	if guid == madeUp(s.title) {
		s.shown = winperf.GUID{}
	}
	if s.info, _ = ParseInfo(m.sets[at].Info); s.info != nil { // complete counters are usable
		for k, c := range s.info.Counters {
			s.byID[c.ID] = k
		}
	}
	m.byGUID[guid] = s
	return s
}

// ident is an Identifier, its name in the sample's own bytes.
type ident struct {
	set                 winperf.GUID
	status              Status
	counter, instanceID uint32
	name                []byte
}

// named reports whether the identifier selects instances by name.
func (id *ident) named() bool { return len(id.name) > 2 }

// setIdentifiers decodes the identifiers behind the data, if they are new.
func (m *memo) setIdentifiers(b []byte) {
	if m.byIndex != nil && bytes.Equal(b, m.identBytes) {
		return
	}
	m.identBytes = append(m.identBytes[:0], b...)
	b = m.identBytes
	m.idents = m.idents[:0]
	m.refused = m.refused[:0]
	m.byIndex = map[uint32]int{}
	m.machine = index.Span{}
	m.identErr = nil

	for pos := uint32(0); pos < uint32(len(b)); {
		name, end, err := readIdentifier(b, pos)
		if err != nil {
			m.identErr = err
			return
		}

		h := b[pos:]
		id := ident{
			set: winperf.GUID(h[:16]), status: Status(u32(h, atIdentStatus)),
			counter: u32(h, atIdentCounter), instanceID: u32(h, atIdentInstance), name: name,
		}
		switch {
		case id.set.IsZero():
			if len(name) > 0 {
				m.machine = index.Span{Off: pos + identifierSize, Len: uint32(len(name))}
			}
		case id.status != Success:
			m.refused = append(m.refused, len(m.idents))
		default:
			m.byIndex[u32(h, atIdentIndex)] = len(m.idents)
		}
		m.idents = append(m.idents, id)
		pos = end
	}
}

// identifier returns the identifier of the answer at position i, nil if unknown.
func (m *memo) identifier(i uint32) *ident {
	at, ok := m.byIndex[i]
	if !ok {
		return nil
	}
	return &m.idents[at]
}

// layout is the form of the answers to one identifier: counters, sizes and places.
type layout struct {
	set    *set
	form   Form
	single uint32 // the only counter of forms without a list
	ids    []byte // the counters of other forms
	empty  bool   // of an answer without values
	listed bool   // an empty one lists the set's counters

	expect      []uint64 // header of each PERF_COUNTER_DATA
	counters    []index.Counter
	definitions []byte
	damage      []error
}

// layout returns the layout of the answer at position i, the previous one if unchanged.
func (m *memo) layout(i int, d *decoder, s *set, a *answer, id *ident) *layout {
	for len(m.layouts) <= i {
		m.layouts = append(m.layouts, &layout{})
	}
	l, empty := m.layouts[i], a.count == 0
	listed := empty && s.round != m.round
	if listed {
		s.round = m.round
	}

	same := l.set == s && l.empty == empty && l.listed == listed &&
		(empty || l.form == a.form && l.single == id.counter && bytes.Equal(l.ids, a.ids))
	if same {
		return l
	}

	m.placed = min(m.placed, i)
	*l = layout{set: s, form: a.form, single: id.counter, ids: bytes.Clone(a.ids), empty: empty,
		listed: listed}
	l.build(d.firstSizes(a))
	return l
}

// firstSizes returns the sizes of the first instance's values, 0 if unknown.
func (d *decoder) firstSizes(a *answer) []uint32 {
	sizes := make([]uint32, a.values)
	if a.count == 0 {
		return sizes
	}

	pos := a.pos
	if a.form.listsInstances() {
		var err *winperf.DataError
		if pos, _, err = readInstance(d.b, pos, a.last); err != nil {
			return sizes
		}
	}

	for k := range sizes {
		v, end, err := readValue(d.b, pos, a.last)
		if err != nil {
			break
		}
		if v.ok() {
			sizes[k] = v.size
		}
		pos = end
	}
	return sizes
}

// fits reports whether all values in b have the expected places.
func (l *layout) fits(b []byte) bool {
	diff, expect := uint64(0), l.expect
	for len(expect) >= 2 && len(b) >= 2*slotSize {
		diff |= (le.Uint64(b) ^ expect[0]) | (le.Uint64(b[slotSize:]) ^ expect[1])
		b = b[2*slotSize:]
		expect = expect[2:]
	}
	for k, want := range expect {
		diff |= le.Uint64(b[slotSize*k:]) ^ want
	}
	return diff == 0
}

// build makes the layout from the counters and the sizes of their values, of which 0 means
// the usual size.
func (l *layout) build(sizes []uint32) {
	l.expect = l.expect[:0]
	l.counters = nil
	l.damage = nil

	at := map[uint32]int{} // position in counters by id
	switch {
	case l.empty && l.listed:
		for slot, c := range l.set.info.Counters {
			l.add(at, slot, c.ID, 0)
		}
	case l.empty:
	default:
		for slot, size := range sizes {
			id := l.single
			if l.form.listsCounters() {
				id = u32(l.ids, 4*slot)
			}
			if size = l.add(at, slot, id, size); size == 0 {
				size = 8
			}
			l.expect = append(l.expect, uint64(slotSize)<<32|uint64(size))
		}
	}

	for k := range l.counters {
		l.refer(k, at)
	}
	l.define()
}

// add adds the counter with an id, if the set has it and it is new. It returns the size of
// the values in its slot: the type's size if size is 0.
func (l *layout) add(at map[uint32]int, slot int, id, size uint32) uint32 {
	k, found := l.set.byID[id]
	if !found {
		return size
	}

	c := &l.set.info.Counters[k]
	width := c.Type.Width()
	if size == 0 && (width == 4 || width == 8) {
		size = uint32(width)
	} else if size == 0 {
		size = 8
	}

	if _, twice := at[id]; twice {
		return size
	}
	at[id] = len(l.counters)

	title := l.set.title + 2 + 2*uint32(k)
	out := index.Counter{
		Title: title, Help: title + 1, Type: c.Type, Scale: c.Scale, Detail: c.Detail,
		Size: size, Value: uint32(slotSize*slot + dataSize), Base: -1, ID: id,
	}
	if width == 0 || c.Type.IsText() { // version 2 has no text values
		out.State = index.NoValue
	}
	l.counters = append(l.counters, out)
	return size
}

// refer links the counter at position k with the counters of its formula.
func (l *layout) refer(k int, at map[uint32]int) {
	c := &l.counters[k]
	info := &l.set.info.Counters[l.set.byID[c.ID]]
	if c.State != index.Readable {
		return
	}

	number := func(id uint32) int {
		j, there := at[id]
		if id == None || !there || l.counters[j].State == index.NoValue {
			return -1
		}
		return j
	}

	base := info.Base
	switch {
	case c.Type.IsMulti():
		base = info.Multi
	case !c.Type.NeedsBase():
		base = None
	case base == None:
		base = info.PerfTime // [MS-PCQ] uses this one for object timers of high precision
	}

	if c.Type.IsMulti() || c.Type.NeedsBase() {
		if c.Base = int32(number(base)); c.Base < 0 {
			c.State = index.MissingBase
			l.lacks(checkReference, k, int64(base))
		}
		if !c.Type.IsMulti() {
			return
		}
	}

	time := number(info.PerfTime)
	switch {
	case time >= 0:
		c.Time = int32(time + 1)
		c.Freq = int32(number(info.PerfFreq) + 1)
	case info.PerfTime != None:
		c.State = index.MissingBase
		l.lacks(checkReference, k, int64(info.PerfTime))
	case c.Type.Clock() == counter.ObjectClock:
		l.lacks(checkTime, k, int64(c.Type))
	}
}

// lacks lists a missing counter of a formula.
func (l *layout) lacks(check *index.Check, k int, want int64) {
	if !l.empty {
		err := check.Fault(0, int64(l.counters[k].ID), want)
		err.Object.GUID = l.set.guid
		l.damage = append(l.damage, err)
	}
}

// define encodes the definitions for comparison.
func (l *layout) define() {
	b := make([]byte, 0, 48*len(l.counters))
	for k := range l.counters {
		c := &l.counters[k]
		for _, v := range [...]uint32{
			c.ID, c.Title, uint32(c.Type), uint32(c.Scale), c.Detail, c.Size, c.Value,
			uint32(c.Base), uint32(c.Time), uint32(c.Freq), uint32(c.State),
		} {
			b = le.AppendUint32(b, v)
		}
	}
	l.definitions = b
}

// madeUp returns the GUID that early captures assign to objects without one in samples of
// winperf.FormatV2: the title index. Frames do not show it.
func madeUp(title uint32) winperf.GUID {
	var g winperf.GUID
	le.PutUint32(g[12:], title)
	return g
}
