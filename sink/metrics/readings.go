package metrics

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
)

// readings is what is known about readings that came cooked, from moment to moment.
type readings struct {
	series  []cookedSeries // by position in the readings
	columns []cookedColumn
	set     Set
	parts   []selection.Part
	exclude []selection.Path
	ready   bool // parts and exclude are made

	machine string // of the first series there was
	known   bool   // there was one
	several bool   // there was one of another machine: from then on all series are labelled with theirs
}

// cookedSeries is a reading's series, and where its values go.
type cookedSeries struct {
	path   winperf.Path
	parent string
	unit   counter.Unit
	column int // in columns, -1 for what is left out
	row    int
}

// cookedColumn is the column of a family: every family has one.
type cookedColumn struct {
	name    string
	unit    unit // of readings
	object  string
	counter string // English or not: as the readings call it
	several bool
	labels  [][]Label
	bits    []uint64
	absent  []uint64
	whole   bool // all values of this moment are whole numbers
	time    time.Time
}

// MapReadings makes metrics of the readings of a moment, for sources whose values come
// cooked, as those of text logs: gauges in base units that are named after their unit,
// with _ratio in place of percent and _per_second for rates. It makes nothing of texts.
// Where the source does not tell the unit the counter's name does.
//
// As soon as there was a reading of another machine than that of the first one, in whichever moment, all series
// have the label machine, from then on.
//
// Options choose as they do for Map, but for names: there are only winperf's own. The
// Set is valid until the next call.
func (m *Mapper) MapReadings(t time.Time, r winperf.Readings) *Set {
	c := &m.cooked
	if !c.same(r) {
		c.arrange(&m.opt, r, &m.seen)
	}

	c.set.Time = t
	for i := range c.columns {
		col := &c.columns[i]
		col.whole, col.time = true, time.Time{}
		clear(col.absent)
	}
	c.fill(t, r)
	for i := range c.columns {
		c.columns[i].put(&c.set.Families[i].Columns[0])
	}
	return &c.set
}

// same reports whether the readings are of the series that they were of before.
func (c *readings) same(r winperf.Readings) bool {
	if r.Len() != len(c.series) {
		return false
	}
	for i := range c.series {
		s := r.At(i).Series
		if known := &c.series[i]; known.path != s.Path || known.unit != s.Unit || known.parent != s.Parent {
			return false
		}
	}
	return true
}

// arrange finds out which families the readings are of.
func (c *readings) arrange(opt *Options, r winperf.Readings, same *seen) {
	if !c.ready {
		c.ready, c.parts = true, selection.Parts(opt.Select)
		for _, p := range opt.Exclude {
			c.exclude = append(c.exclude, selection.NewPath(p))
		}
	}

	c.series, c.columns = c.series[:0], nil
	for i := range r.Len() {
		s := r.At(i).Series
		if !c.known {
			c.machine, c.known = s.Path.Machine, true
		}
		c.series = append(c.series, cookedSeries{path: s.Path, parent: s.Parent, unit: s.Unit, column: -1})
		c.several = c.several || !strings.EqualFold(c.machine, s.Path.Machine)
	}

	others := map[[3]string]bool{} // counters with instances that are no totals
	for i := range c.series {
		p := &c.series[i].path
		others[counterOf(p)] = others[counterOf(p)] || !isTotal(p)
	}

	byCounter := map[[2]string]int{}
	for i := range c.series {
		s := &c.series[i]
		if !c.wants(opt, r.At(i).Series, opt.Totals || opt.LoneTotals && !others[counterOf(&s.path)]) {
			continue
		}
		object, _ := withoutInstance(s.path.Object)
		key := [2]string{object, s.path.Counter}
		at, ok := byCounter[key]
		if !ok {
			at = len(c.columns)
			byCounter[key] = at
			c.columns = append(c.columns, cookedColumn{object: key[0], counter: key[1], several: c.several})
			c.columns[at].unit = cookedUnit(s.path.Object, s.path.Counter, s.unit)
		}
		s.column, s.row = at, len(c.columns[at].labels)
		c.columns[at].labels = append(c.columns[at].labels, s.labels(c.several, opt.foreign(s.path.Machine)))
	}

	for i := range c.columns {
		c.columns[i].tellApart(same)
	}
	c.families(opt.Reserved)
}

// tellApart gives rows with equal labels, as of columns of a log that have one name, an index.
func (c *cookedColumn) tellApart(same *seen) {
	same.begin()
	for i, ls := range c.labels {
		plain := slices.DeleteFunc(slices.Clone(ls), func(l Label) bool { return l.Name == indexLabel })
		nth := same.add(ls)
		for n := nth; nth > 0; n++ {
			ls = indexed(plain, n)
			nth = same.add(ls)
		}
		c.labels[i] = ls
	}
}

// counterOf is a path but for its instance.
func counterOf(p *winperf.Path) [3]string { return [3]string{p.Machine, p.Object, p.Counter} }

// isTotal reports whether a path names an instance that sums others up.
func isTotal(p *winperf.Path) bool {
	return frame.IsTotal(p.Instance[strings.LastIndexByte(p.Instance, '/')+1:])
}

// wants reports whether a series is wanted, with totals that no path names or without.
func (c *readings) wants(opt *Options, s *winperf.Series, totals bool) bool {
	is := func(p *selection.Path) bool { return p.Series(s) == counter.OK }
	if slices.ContainsFunc(c.exclude, func(p selection.Path) bool { return is(&p) }) {
		return false
	}

	total := !totals && isTotal(&s.Path)
	if len(c.parts) == 0 {
		return !total
	}
	return slices.ContainsFunc(c.parts, func(p selection.Part) bool {
		if p.Path != nil {
			return is(p.Path) && (!total || p.Path.OneInstance())
		}
		return !total && p.Wants(selection.Object{ID: s.ObjectID, Name: s.Path.Object}) != selection.Unwanted
	})
}

// labels are those of the series' instance. foreign is its machine where that is not at home.
func (s *cookedSeries) labels(several bool, foreign string) (ls []Label) {
	add := func(name, value string) {
		if value != "" {
			ls = append(ls, Label{name, value})
		}
	}
	if s.path.Index > 0 {
		add(indexLabel, strconv.Itoa(s.path.Index))
	}
	add("instance", foreign)
	if several {
		add("machine", s.path.Machine)
	}
	name := s.path.Instance
	if rest, ok := strings.CutPrefix(name, s.parent+"/"); ok && s.parent != "" {
		name = rest
	}
	add("name", name)
	add("parent", s.parent)
	_, sqlInstance := withoutInstance(s.path.Object)
	add("sql_instance", sqlInstance)
	return ls
}

// cookedUnit is what values of a unit, or of one that only the counter's name tells, are to
// be multiplied by, and its name as the end of a metric's.
func cookedUnit(object, name string, u counter.Unit) unit {
	if u == counter.NoUnit {
		u = namedUnit(name)
	}

	switch u {
	case counter.Percent:
		return ratio
	case counter.Seconds:
		return unit{name: "seconds"}
	case counter.PerSecond:
		_, of := counterWords(object, name, counter.BulkCount)
		of.name = strings.TrimPrefix(of.name+"_per_second", "_")
		return of
	}
	_, of := counterWords(object, name, counter.RawCount)
	return of
}

// namedUnit is the unit of a displayed value as far as the counter's name tells that it is a
// percentage, a rate or a time since something began.
func namedUnit(name string) counter.Unit {
	ws := words(spaced(name))
	_, isRate := withoutRate(name)
	switch {
	case len(outerPercent(ws)) < len(ws):
		return counter.Percent
	case isRate:
		return counter.PerSecond
	case len(withoutElapsed(ws)) < len(ws):
		return counter.Seconds
	}
	return counter.NoUnit
}

// cookedWords are the words of a counter's name but those that its unit says.
func cookedWords(object, name string, u unit) []string {
	like := counter.RawCount
	switch {
	case u == ratio:
		like = counter.RawFraction
	case u.name == "seconds" && u.factor() == 1:
		like = counter.AverageTimer
	case strings.HasSuffix(u.name, "per_second"):
		like = counter.BulkCount
	}
	ws, _ := counterWords(object, name, like)
	if u.name == "" {
		ws = ending(ws)
	}
	return ws
}

// families makes the families of the columns, in their order.
func (c *readings) families(reserved []Family) {
	c.name(reserved)
	c.set.Families = make([]Family, len(c.columns))
	for i := range c.columns {
		col := &c.columns[i]
		n := len(col.labels)
		col.bits, col.absent = make([]uint64, n), make([]uint64, (n+63)/64)
		c.set.Families[i] = Family{
			Name: col.name, Unit: col.unit.name, Object: col.object,
			Help:    `\` + col.object + `\` + col.counter + ", as it was recorded or formatted",
			Columns: []Column{{Rows: NewRows(col.labels, nil)}},
		}
	}
}

// name gives the columns names that none of the reserved has, and that depend on those of their counters only, as tellApart
// does.
func (c *readings) name(reserved []Family) {
	order := make([]*cookedColumn, len(c.columns))
	for i := range order {
		order[i] = &c.columns[i]
	}
	slices.SortFunc(order, func(a, b *cookedColumn) int {
		return cmp.Or(
			cmp.Compare(a.object, b.object), cmp.Compare(a.unit.converted(), b.unit.converted()),
			cmp.Compare(a.counter, b.counter),
		)
	})

	taken := map[string]bool{}
	for i := range reserved {
		taken[reserved[i].Name] = true
	}
	last := map[string]int{} // the number behind a name
	for _, col := range order {
		object, _ := objectWords(col.object)
		if len(object) == 0 {
			object = []string{"object"}
		}
		ws := cookedWords(col.object, col.counter, col.unit)
		if nameless(col.counter) {
			ws = []string{"value"}
		}

		end := col.unit.suffix()
		col.name = stem(object, ws) + end
		if taken[col.name] {
			full := stem(object, ending(tidy(words(col.counter))))
			col.name = full + end
			for n := max(2, last[col.name]); taken[col.name]; n++ {
				last[full+end] = n
				col.name = full + "_" + strconv.Itoa(n) + end
			}
		}
		taken[col.name] = true
	}
}

// fill takes the values of the readings.
func (c *readings) fill(t time.Time, r winperf.Readings) {
	for i := range c.series {
		s := &c.series[i]
		if s.column < 0 {
			continue
		}
		col, reading := &c.columns[s.column], r.At(i)
		if d := t.Sub(reading.Time); d <= -apart || d >= apart {
			col.time = reading.Time
		}

		v, ok := reading.Value.Float64()
		if reading.Status != counter.OK || !ok {
			col.bits[s.row] = 0
			col.absent[s.row/64] |= 1 << (s.row % 64)
			continue
		}
		n, isInt := reading.Value.Uint64()
		if isInt = isInt && col.unit.factor() == 1; isInt && col.whole {
			col.bits[s.row] = n
			continue
		}
		col.decimals(s.row)
		col.bits[s.row] = math.Float64bits(v*col.unit.factor() + col.unit.offset)
	}
}

// decimals makes the values of the first n rows decimals, and all that follow.
func (c *cookedColumn) decimals(n int) {
	if !c.whole {
		return
	}
	c.whole = false
	for i, v := range c.bits[:n] {
		c.bits[i] = math.Float64bits(float64(v))
	}
}

// put puts the values of a moment into the column of a Set.
func (c *cookedColumn) put(out *Column) {
	out.Bits, out.Form, out.Time, out.Absent = c.bits, Float, c.time, nil
	if c.whole {
		out.Form = Whole
	}
	for _, word := range c.absent {
		if word != 0 {
			out.Absent = c.absent
			return
		}
	}
}
