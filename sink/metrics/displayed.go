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

// displayable is the state of displayable values between frames.
type displayable struct {
	of      []*winperf.Series // in the order of the frame
	series  []displayedSeries // the destination of each series' values
	columns []displayedColumn
	values  winperf.Column // of the current block
	set     Set
	parts   []selection.Part
	exclude []selection.Path
	ready   bool // parts and exclude are set

	machine string // of the first series
	known   bool   // machine is set
	several bool   // another machine appeared: all series get the label machine
}

// displayedSeries is the destination of a series' values.
type displayedSeries struct {
	column int // in columns, -1 if omitted
	row    int
}

// displayedColumn is the only column of a family.
type displayedColumn struct {
	name    string
	unit    unit // of the values
	object  string
	counter string // as the source calls it, English or not
	several bool
	labels  [][]Label
	bits    []uint64
	absent  []uint64
	whole   bool // all values of this sample are whole numbers
	time    time.Time
}

// has reports whether a frame has displayable values, and updates the families if its series
// changed.
func (c *displayable) has(f frame.Frame, opt *Options, same *seen) bool {
	n, known := 0, true
	for v := range f.Values() {
		series := v.AllSeries()
		known = known && n+len(series) <= len(c.of) && slices.Equal(series, c.of[n:][:len(series)])
		n += len(series)
	}

	if n == 0 || known && n == len(c.of) {
		return n > 0
	}
	c.of = slices.Grow(c.of[:0], n)
	for v := range f.Values() {
		c.of = append(c.of, v.AllSeries()...)
	}
	c.arrange(opt, same)
	return true
}

// take makes gauges in base units from the displayable values of a frame, named after their unit,
// with _ratio for percent and _per_second for rates. Texts are skipped. If the source has no unit,
// the counter's name determines it.
func (c *displayable) take(f frame.Frame) *Set {
	c.set.Time = f.Time()
	for i := range c.columns {
		col := &c.columns[i]
		col.whole, col.time = true, time.Time{}
		clear(col.absent)
	}
	n := 0
	for v := range f.Values() {
		v.Column(&c.values, 0, len(v.AllSeries()))
		for i := range c.values.Len() {
			c.fill(c.series[n], i, timeOf(v.Time(i), f))
			n++
		}
	}
	for i := range c.columns {
		c.columns[i].put(&c.set.Families[i].Columns[0])
	}
	return &c.set
}

func (c *displayable) arrange(opt *Options, same *seen) {
	if !c.ready {
		c.ready, c.parts = true, selection.Parts(opt.Select)
		for _, p := range opt.Exclude {
			c.exclude = append(c.exclude, selection.NewPath(p))
		}
	}

	c.series, c.columns = c.series[:0], nil
	others := map[[3]string]bool{} // counters with instances other than totals
	for _, s := range c.of {
		if !c.known {
			c.machine, c.known = s.Path.Machine, true
		}
		c.several = c.several || !strings.EqualFold(c.machine, s.Path.Machine)
		others[counterOf(&s.Path)] = others[counterOf(&s.Path)] || !isTotal(&s.Path)
	}

	byCounter := map[[2]string]int{}
	for _, s := range c.of {
		if !c.includes(opt, s, opt.Totals || opt.LoneTotals && !others[counterOf(&s.Path)]) {
			c.series = append(c.series, displayedSeries{column: -1})
			continue
		}
		object, _ := withoutInstance(s.Path.Object)
		key := [2]string{object, s.Path.Counter}
		at, ok := byCounter[key]
		if !ok {
			at = len(c.columns)
			byCounter[key] = at
			c.columns = append(c.columns, displayedColumn{object: key[0], counter: key[1], several: c.several})
			c.columns[at].unit = displayedUnit(s.Path.Object, s.Path.Counter, s.Unit)
		}
		c.series = append(c.series, displayedSeries{at, len(c.columns[at].labels)})
		labels := displayedLabels(s, c.several, opt.foreign(s.Path.Machine))
		c.columns[at].labels = append(c.columns[at].labels, labels)
	}

	for i := range c.columns {
		c.columns[i].disambiguate(same)
	}
	c.omitConversions()
	c.families(opt.Reserved)
}

// disambiguate adds an index to rows with equal labels, such as columns of a log with the same name.
func (c *displayedColumn) disambiguate(same *seen) {
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

func counterOf(p *winperf.Path) [3]string { return [3]string{p.Machine, p.Object, p.Counter} }

func isTotal(p *winperf.Path) bool {
	return frame.IsTotal(p.Instance[strings.LastIndexByte(p.Instance, '/')+1:])
}

// includes reports whether a series is requested. totals selects totals that no path names.
func (c *displayable) includes(opt *Options, s *winperf.Series, totals bool) bool {
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
		return !total && p.Selects(selection.Object{ID: s.ObjectID, Name: s.Path.Object}) != selection.NoMatch
	})
}

// displayedLabels returns the labels of a series. foreign is its machine unless that is
// Options.Home.
func displayedLabels(s *winperf.Series, several bool, foreign string) (ls []Label) {
	add := func(name, value string) {
		if value != "" {
			ls = append(ls, Label{name, value})
		}
	}

	if s.Path.Index > 0 {
		add(indexLabel, strconv.Itoa(s.Path.Index))
	}
	add("instance", foreign)
	if several {
		add("machine", s.Path.Machine)
	}

	name := s.Path.Instance
	if rest, ok := strings.CutPrefix(name, s.Parent+"/"); ok && s.Parent != "" {
		name = rest
	}
	add("name", name)
	add("parent", s.Parent)
	_, sqlInstance := withoutInstance(s.Path.Object)
	add("sql_instance", sqlInstance)
	return ls
}

// displayedUnit returns the conversion of values of a unit, with the suffix of the metric's name. A
// missing unit is taken from the counter's name.
func displayedUnit(object, name string, u counter.Unit) unit {
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

// namedUnit returns the unit that a counter's name implies: a percentage, a rate or an elapsed
// time.
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

func displayedWords(object, name string, u unit) []string {
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

func (c *displayable) families(reserved []Family) {
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

// name names the columns, avoiding reserved names. Like in disambiguate the result depends only on the
// counters' names.
func (c *displayable) name(reserved []Family) {
	order := make([]*displayedColumn, len(c.columns))
	for i := range order {
		order[i] = &c.columns[i]
	}
	slices.SortFunc(order, func(a, b *displayedColumn) int {
		return cmp.Or(
			cmp.Compare(a.object, b.object), cmp.Compare(a.unit.converted(), b.unit.converted()),
			cmp.Compare(a.counter, b.counter),
		)
	})

	taken := map[string]bool{}
	for i := range reserved {
		taken[reserved[i].Name] = true
	}
	last := map[string]int{} // the number after a name
	for _, col := range order {
		end := col.unit.suffix()
		col.name = col.stem()
		if taken[col.name] {
			full := stem(objectOf(col.object), ending(tidy(words(col.counter))))
			col.name = full + end
			for n := max(2, last[col.name]); taken[col.name]; n++ {
				last[full+end] = n
				col.name = full + "_" + strconv.Itoa(n) + end
			}
		}
		taken[col.name] = true
	}
}

// fill sets the i-th value of a block. A nonzero t is the sampling time of an independent object.
func (c *displayable) fill(s displayedSeries, i int, t time.Time) {
	if s.column < 0 {
		return
	}
	col := &c.columns[s.column]
	if !t.IsZero() {
		col.time = t
	}

	value := c.values.Value(i)
	v, ok := value.Float64()
	if !ok {
		col.bits[s.row] = 0
		col.absent[s.row/64] |= 1 << (s.row % 64)
		return
	}
	n, isInt := value.Uint64()
	if isInt = isInt && col.unit.factor() == 1; isInt && col.whole {
		col.bits[s.row] = n
		return
	}
	col.decimals()
	col.bits[s.row] = math.Float64bits(v*col.unit.factor() + col.unit.offset)
}

func (c *displayedColumn) decimals() {
	if !c.whole {
		return
	}
	c.whole = false
	for i, v := range c.bits {
		c.bits[i] = math.Float64bits(float64(v))
	}
}

func (c *displayedColumn) put(out *Column) {
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
