package screen

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/safetext"
	"github.com/winperf/winperf/internal/titles"
)

// kept is the number of values in the history of a cell.
const kept = 120

// table has the instances of one object as rows and its counters as columns. An object without instances
// has a row for each counter and one column.
type table struct {
	object, machine string
	id              winperf.ObjectID
	single          bool
	columns         []*column
	rows            []*row
	visible         []*row // filtered and sorted

	sort int // the column that orders the rows: 0 is the name; unsorted for the order of the source
	down bool

	byID    map[uint32]*row
	byKey   map[string]*row
	current uint64 // the number of the last sample
	age     float64

	// The layout.
	from  int   // the first of the visible rows that the screen shows
	heads int   // lines of the head
	width int   // of the name
	shown []int // the columns that fit
}

const unsorted = -1

type column struct {
	head   string
	series winperf.Series // the counter
	fact   string         // name of a fact, which the caller provides for visible rows
	hidden bool
	width  int
}

type cell struct {
	value  counter.Value
	status counter.Status
	past   []float32 // the last values, NaN for none
}

type row struct {
	name, key string
	width     int            // of the name
	series    winperf.Series // the instance, or for a single object the counter
	cells     []cell
	id        uint32
	seen      uint64
	depth     int
}

// same reports whether two names are equal in the way of Windows.
func same(a, b string) bool { return strings.EqualFold(a, b) }

// is reports whether the table is of an object. Text logs have no title indices.
func (t *table) is(title uint32, name string) bool {
	return t.id.Index == title || t.id.Index == 0 && same(t.object, name)
}

func isCounter(s *winperf.Series, title uint32, name string) bool {
	return s.CounterID.Index == title || s.CounterID.Index == 0 && same(s.Path.Counter, name)
}

func (t *table) isProcess() bool { return t.is(titles.Process, "Process") }

// find returns the position of a counter, or -1.
func (t *table) find(title uint32, name string) int {
	return slices.IndexFunc(t.columns, func(c *column) bool {
		return c.fact == "" && isCounter(&c.series, title, name)
	})
}

func newTable(s *winperf.Series) *table {
	return &table{
		object: s.Path.Object, machine: s.Path.Machine, id: s.ObjectID, single: !s.Path.HasInstance,
		sort: unsorted, byID: map[uint32]*row{}, byKey: map[string]*row{},
	}
}

// holds reports whether the values of a counter belong to the table.
func (t *table) holds(s *winperf.Series) bool {
	return t.id == s.ObjectID && t.single == !s.Path.HasInstance &&
		same(t.object, s.Path.Object) && t.machine == s.Path.Machine
}

// take adds a column of the sample.
func (t *table) take(c *winperf.Column) {
	k := 0
	if !t.single {
		k = t.columnOf(c.Counter())
	} else if len(t.columns) == 0 {
		t.columns = append(t.columns, &column{head: "Value"})
	}

	for n := range c.Len() {
		id := c.ID(n).Instance // 0 in columns of single readings, too
		r := t.byID[id]
		if r == nil || id == 0 || r.seen != t.current {
			r = t.rowOf(c, n, id) // once for each sample, because numbers in names change
		}
		r.set(k, c.Value(n), c.Status[n], t.current)
	}
}

func (t *table) columnOf(s *winperf.Series) int {
	k := slices.IndexFunc(t.columns, func(c *column) bool {
		return c.fact == "" && c.series.CounterID == s.CounterID && same(c.series.Path.Counter, s.Path.Counter)
	})
	if k < 0 {
		k = len(t.columns)
		t.columns = append(t.columns, &column{head: safetext.Line(s.Path.Counter), series: *s})
	}
	return k
}

// rowOf returns the row of a value. A process keeps its row in another measurement.
func (t *table) rowOf(c *winperf.Column, n int, id uint32) *row {
	var s winperf.Series
	c.Describe(&s, n)
	name := s.Path.InstanceText()
	if t.single {
		name, id = s.Path.Counter, 0
	}

	r := t.byID[id]
	if r == nil || id == 0 {
		key := cmp.Or(s.Key, name)
		if r = t.byKey[key]; r == nil {
			r = &row{key: key}
			t.byKey[key] = r
			t.rows = append(t.rows, r)
		}
		if r.id = id; id != 0 {
			t.byID[id] = r
		}
	}

	r.series = s
	if text := safetext.Line(name); text != r.name {
		r.name, r.width = text, safetext.Width(text)
	}
	return r
}

func (r *row) set(k int, v counter.Value, status counter.Status, number uint64) {
	for len(r.cells) <= k {
		r.cells = append(r.cells, cell{status: counter.NoCounter})
	}
	c := &r.cells[k]
	c.value, c.status, r.seen = v, status, number
	c.past = remember(c.past, float32(c.number()))
}

// number returns the value, or NaN.
func (c *cell) number() float64 {
	if f, ok := c.value.Float64(); ok && c.status == counter.OK {
		return f
	}
	return math.NaN()
}

func remember(past []float32, v float32) []float32 {
	if len(past) < kept {
		return append(past, v)
	}
	copy(past, past[1:])
	past[kept-1] = v
	return past
}

// end removes the rows that the sample lacks.
func (t *table) end() {
	t.rows = slices.DeleteFunc(t.rows, func(r *row) bool {
		if r.seen == t.current {
			return false
		}
		delete(t.byKey, r.key)
		if t.byID[r.id] == r {
			delete(t.byID, r.id)
		}
		return true
	})
}

// restart forgets the identities of a measurement, and the histories if past is true.
func (t *table) restart(past bool) {
	clear(t.byID)
	for _, r := range t.rows {
		r.id = 0
		for k := range r.cells {
			if past {
				r.cells[k].past = nil
			}
		}
	}
}

func (r *row) number(k int) float64 {
	if k < 0 || k >= len(r.cells) {
		return math.NaN()
	}
	return r.cells[k].number()
}

// rank places totals above and the processor time of no listed process below the sorted rows.
func (r *row) rank() int {
	switch {
	case frame.IsTotal(r.series.Path.Instance):
		return -1
	case strings.HasPrefix(r.name, "(") && r.id == 0:
		return 1
	}
	return 0
}

func (t *table) compare(a, b *row) int {
	order := 0
	switch {
	case t.sort == 0:
		order = strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	case t.sort > 0:
		order = cmp.Compare(a.number(t.sort-1), b.number(t.sort-1)) // NaN is the smallest
	}
	if t.down {
		order = -order
	}
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), order)
}

// arrange filters and sorts the rows. omit reports rows that are not processes.
func (t *table) arrange(filter string, tree, omit bool) {
	pid, parent := t.processColumns()
	t.visible = t.visible[:0]
	for _, r := range t.rows {
		if omit && t.isProcess() && r.number(pid) == 0 {
			continue
		}
		r.depth = 0
		t.visible = append(t.visible, r)
	}
	slices.SortStableFunc(t.visible, t.compare)

	matches := func(r *row) bool { return r.contains(filter) }
	if tree && t.hasParents() {
		t.visible = descend(t.visible, pid, parent, matches)
	} else if filter != "" {
		t.visible = slices.DeleteFunc(t.visible, func(r *row) bool { return !matches(r) })
	}
}

const creatingProcess = 1410 // title index of Creating Process ID

// processColumns returns the positions of ID Process and Creating Process ID, or -1.
func (t *table) processColumns() (pid, parent int) {
	return t.find(titles.IDProcess, "ID Process"), t.find(creatingProcess, "Creating Process ID")
}

// hasParents reports whether the table has the counters that make a tree.
func (t *table) hasParents() bool {
	pid, parent := t.processColumns()
	return pid >= 0 && parent >= 0
}

// contains reports whether a text occurs in the name of a row.
func (r *row) contains(text string) bool {
	return text == "" || strings.Contains(strings.ToLower(r.name), strings.ToLower(text))
}

// descend orders processes as a tree. It keeps matching processes and their ancestors.
func descend(rows []*row, pid, parent int, matches func(*row) bool) []*row {
	known := map[float64]bool{}
	for _, r := range rows {
		known[r.number(pid)] = true
	}
	children := map[float64][]*row{}
	var roots []*row
	for _, r := range rows {
		if p := r.number(parent); known[p] && p != r.number(pid) && p != 0 {
			children[p] = append(children[p], r)
		} else {
			roots = append(roots, r)
		}
	}

	var all []*row
	done := map[*row]bool{} // ids of a damaged log may form a circle
	var add func(list []*row, depth int) bool
	add = func(list []*row, depth int) (any bool) {
		for _, r := range list {
			if done[r] {
				continue
			}
			done[r], r.depth = true, depth
			at := len(all)
			all = append(all, r)
			if below := add(children[r.number(pid)], depth+1); below || matches(r) {
				any = true
			} else {
				all = all[:at]
			}
		}
		return any
	}

	add(roots, 0)
	for _, r := range rows { // the circles
		add([]*row{r}, 0)
	}
	return all
}
