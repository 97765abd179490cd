package frame

import (
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/valueblock"
)

// values are the displayable values of a block of [winperf.FormatValues]. Each counter of an object of a
// machine is an object of the frame with one counter, whose instances are the series that the sample has
// of it. So there are no gaps, and a path may be there twice.
type values struct {
	valueblock.Values
	layout *valueLayout // nil for a block of another format
}

// valueLayout says which series are which instances of which objects. It is immutable, and shared by the
// blocks of the same series.
type valueLayout struct {
	of        []*winperf.Series // in the order of the block
	series    []*winperf.Series // by object and instance
	at        []int32           // by object and instance: the position in the block
	labels    []*Labels         // by object
	objects   []index.Object
	counters  []index.Counter
	instances []index.Instance // all are zero
}

// decodeValues decodes a block of displayable values.
func (s *store) decodeValues() error {
	b, v := s.block, &s.values
	s.index = index.Index{Clocks: b.Clocks}
	if err := valueblock.Decode(b.Bytes, len(b.Series), &v.Values); err != nil {
		v.layout = nil
		return err
	}

	if !v.layout.holds(b.Series, v.Times) {
		v.layout = s.into.before.layout(b.Series, v.Times)
	}
	if v.layout == nil {
		v.layout = newValueLayout(b.Series, v.Times)
	}
	l := v.layout
	s.index.Objects, s.index.Counters, s.index.Instances = l.objects, l.counters, l.instances
	s.labels = append(s.labels, l.labels...)
	s.name = ""
	if len(b.Series) > 0 {
		s.name = b.Series[0].Path.Machine
	}
	return nil
}

// layout returns a layout of the frame that holds for a block, nil if there is none.
func (s *sheet) layout(series []*winperf.Series, times []int64) *valueLayout {
	for i := 0; s != nil && i < len(s.parts); i++ {
		if l := s.parts[i].values.layout; l.holds(series, times) {
			return l
		}
	}
	return nil
}

// holds reports whether a layout is one of these series, and all values of each object have one time.
func (l *valueLayout) holds(series []*winperf.Series, times []int64) bool {
	if l == nil || len(series) != len(l.of) {
		return false
	}
	if len(series) > 0 && &series[0] != &l.of[0] && !slices.Equal(series, l.of) {
		return false
	}
	if len(times) == 0 {
		return true
	}

	for i := range l.objects {
		at := l.at[l.objects[i].Instance0:l.objects[i].InstanceEnd]
		for _, k := range at {
			if times[k] != times[at[0]] {
				return false
			}
		}
	}
	return true
}

// valueObject says which object of the frame a value belongs to.
type valueObject struct {
	machine, object, counter string
	instances                bool
	time                     int64
}

// newValueLayout makes the layout of some series, which keep their order in each object, as the objects do.
func newValueLayout(series []*winperf.Series, times []int64) *valueLayout {
	n := len(series)
	l := &valueLayout{
		of: series, series: make([]*winperf.Series, n), at: make([]int32, n), instances: make([]index.Instance, n),
	}
	known := map[valueObject]int{}
	of := make([]int32, n) // the object of each series
	for i, s := range series {
		key := valueObject{s.Path.Machine, s.Path.Object, s.Path.Counter, s.Path.HasInstance, 0}
		if len(times) > 0 {
			key.time = times[i]
		}
		at, ok := known[key]
		if !ok {
			at = len(l.objects)
			known[key] = at
			l.add(s)
		}
		of[i] = int32(at)
		l.objects[at].InstanceEnd++ // how many there are, so far
	}

	end := uint32(0)
	for i := range l.objects {
		o := &l.objects[i]
		o.Instance0, o.InstanceEnd, end = end, end, end+o.InstanceEnd
	}
	for i, s := range series {
		o := &l.objects[of[i]]
		l.series[o.InstanceEnd], l.at[o.InstanceEnd] = s, int32(i)
		o.InstanceEnd++
	}
	for i := range l.objects {
		o := &l.objects[i]
		l.labels = append(l.labels, labelsOfSeries(l.series[o.Instance0:o.InstanceEnd]))
	}
	return l
}

// add adds the object of a series, without instances.
func (l *valueLayout) add(s *winperf.Series) {
	o := index.Object{
		Title: s.ObjectID.Index, GUID: s.ObjectID.GUID, Link0: -1, DefaultCounter: -1,
		Counter0: uint32(len(l.counters)), CounterEnd: uint32(len(l.counters)) + 1,
		Definitions: []byte{}, // there are none
	}
	if !s.Path.HasInstance {
		o.NumInstances = index.NoInstances
	}
	l.objects = append(l.objects, o)
	l.counters = append(l.counters, index.Counter{
		Title: s.CounterID.Index, ID: s.CounterID.ID, Type: s.Type, Scale: s.Scale, Base: -1, State: index.NoValue,
	})
}

// labelsOfSeries makes the labels of an object's instances, which are called as their paths say.
func labelsOfSeries(series []*winperf.Series) *Labels {
	l := &Labels{names: make([]string, len(series))}
	numbered, below := false, false
	for i, s := range series {
		l.names[i] = s.Path.Instance
		numbered, below = numbered || s.Path.Index != 0, below || s.Parent != ""
	}

	l.full = l.names
	if below {
		l.full = slices.Clone(l.names)
		for i, s := range series {
			if s.Parent != "" {
				l.names[i] = strings.TrimPrefix(l.full[i], s.Parent+"/")
			}
		}
	}
	if numbered {
		for i, s := range series {
			n := &l.numbers
			n.group, n.size = append(n.group, int32(i)), append(n.size, 1)
			n.occurrence = append(n.occurrence, int32(max(0, s.Path.Index)))
		}
	}
	l.once.Do(func() {}) // that is all of them
	l.joined.Store(true)
	return l
}

// Series returns the series of the instances of an object, where the sample itself has them, as one of
// displayable values does, and their places in the order of the whole sample. Both are nil for other
// objects, and must not be changed.
func (o Object) Series() (series []*winperf.Series, places []int32) {
	l := o.s.values.layout
	if l == nil {
		return nil, nil
	}
	d := o.def()
	return l.series[d.Instance0:d.InstanceEnd], l.at[d.Instance0:d.InstanceEnd]
}

// valueClocks are the times of an object of displayable values.
func (o Object) valueClocks() counter.Clocks {
	c := o.s.index.Clocks
	if _, at := o.Series(); len(o.s.values.Times) > 0 && len(at) > 0 {
		c.Time100ns = o.s.values.Times[at[0]]
	}
	return c
}

// displayedText returns the value of instance i of an object of displayable values if it is a text.
func (o Object) displayedText(i int) (s string, ok bool) {
	_, at := o.Series()
	v := &o.s.values
	if v.Kinds[at[i]] != counter.KindText {
		return "", false
	}
	return string(v.Text(v.Bits[at[i]])), true
}

// setValues makes o, an object of displayable values, the pair's newer object. It is compared with no older
// one: its values are what Cook returns.
func (p *Pair) setValues(o Object) {
	same := p.layout > 0 && p.cur.s != nil && p.of == o.s.values.layout && p.cur.pos == o.pos
	p.cur, p.curClocks, p.of, p.hasPrev, p.sameDefs = o, o.Clocks(), o.s.values.layout, false, same
	if same && p.inPlace {
		return
	}

	if !same {
		p.compile()
		p.layout++
	}
	n := o.Len()
	p.from, p.match = slices.Grow(p.from[:0], n)[:n], slices.Grow(p.match[:0], n)[:n]
	for i := range p.from {
		p.from[i], p.match[i] = -1, counter.Unmatched
		if same {
			p.from[i], p.match[i] = int32(i), counter.Verified
		}
	}
	p.inPlace, p.allVerified, p.begun = same, same, false
}

// readValues is Cook for an object of displayable values.
func (p *Pair) readValues(cols []Cooked) {
	v := &p.cur.s.values
	series, at := p.cur.Series()
	for n := range cols {
		c := &cols[n]
		c.o, c.Fell, c.Unit = p.cur, false, counter.NoUnit
		if len(series) > 0 {
			c.Unit = series[0].Unit
		}
		gather(c.Bits, v.Bits, at, c.Only)
		gather(c.Status, v.Status, at, c.Only)

		c.kinds = slices.Grow(c.kinds[:0], len(c.Bits))[:len(c.Bits)]
		gather(c.kinds, v.Kinds, at, c.Only)
		if c.Kind, c.Kinds = counter.KindNone, nil; !oneKind(c) {
			c.Kinds = c.kinds
		}

		c.Marks = nil
		if len(v.Marks) > 0 {
			c.Marks = slices.Grow(c.marks[:0], len(c.Bits))[:len(c.Bits)]
			c.marks = c.Marks
			gather(c.Marks, v.Marks, at, c.Only)
		}
	}
}

// oneKind sets the kind of a column and reports whether all of its values are of it.
func oneKind(c *Cooked) bool {
	for _, k := range c.kinds {
		if k == counter.KindNone {
			continue
		}
		if c.Kind == counter.KindNone {
			c.Kind = k
		}
		if k != c.Kind {
			return false
		}
	}
	return true
}

// gather copies from src to dst what is of the instances at the positions only, nil for all, each of which
// has its place in src.
func gather[T any](dst, src []T, at, only []int32) {
	n := len(dst)
	switch {
	case n == 0:
	case only == nil && int(at[n-1]-at[0]) == n-1:
		copy(dst, src[at[0]:])
	case only == nil:
		for i, k := range at {
			dst[i] = src[k]
		}
	default:
		for i, k := range only {
			dst[i] = src[at[k]]
		}
	}
}
