package push

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/sink/metrics"
)

// present are the series of a Set. It is never changed.
type present struct {
	time     time.Time
	families []metrics.Family // Bits are nil
}

// keep returns the series of a Set. before are the series of the previous Set, whose memory it uses
// if they are the same.
func keep(before *present, set *metrics.Set) *present {
	p := &present{time: set.Time}
	if before != nil && slices.EqualFunc(before.families, set.Families, sameSeries) {
		p.families = before.families
		return p
	}

	p.families = make([]metrics.Family, 0, len(set.Families))
	for _, f := range set.Families {
		f.Columns = slices.Clone(f.Columns)
		for k := range f.Columns {
			c := &f.Columns[k]
			c.Extra, c.Absent, c.Bits = slices.Clone(c.Extra), slices.Clone(c.Absent), nil
		}
		p.families = append(p.families, f)
	}
	return p
}

func sameSeries(a, b metrics.Family) bool {
	return a.Name == b.Name && slices.EqualFunc(a.Columns, b.Columns, func(a, b metrics.Column) bool {
		return a.Rows == b.Rows && slices.Equal(a.Absent, b.Absent) && sameLabels(&a, &b)
	})
}

func sameLabels(a, b *metrics.Column) bool {
	return a.Suffix == b.Suffix && slices.Equal(a.Extra, b.Extra)
}

// ended returns the series of p that now lacks, as a Set of that time without values; nil for none. If
// now is nil, all series have ended a millisecond after p. If the clock was set back, none is ended:
// receivers have values of later times.
func (p *present) ended(now *present) *metrics.Set {
	switch {
	case p == nil || len(p.families) == 0:
		return nil
	case now == nil:
		return p.without(nil, p.time.Add(time.Millisecond))
	case !now.time.After(p.time) || len(now.families) > 0 && &p.families[0] == &now.families[0]:
		return nil
	}
	return p.without(now, now.time)
}

// without returns the series of p that now lacks.
func (p *present) without(now *present, at time.Time) *metrics.Set {
	c := comparison{rows: map[*metrics.Rows]*rowIndex{}, now: map[string]*metrics.Family{}}
	if now != nil {
		for i := range now.families {
			c.now[now.families[i].Name] = &now.families[i]
		}
	}
	set := &metrics.Set{Time: at}
	for i := range p.families {
		if f := c.family(&p.families[i]); len(f.Columns) > 0 {
			set.Families = append(set.Families, f)
		}
	}
	if len(set.Families) == 0 {
		return nil
	}
	return set
}

// comparison finds series of a Set in the next one.
type comparison struct {
	now  map[string]*metrics.Family
	rows map[*metrics.Rows]*rowIndex
}

// rowIndex finds rows by their labels. Rows of one instance usually share the slice of labels.
type rowIndex struct {
	bySlice map[*metrics.Label]int
	byText  map[string]int // nil until it is needed
}

// family returns the ended series of a family.
func (c *comparison) family(was *metrics.Family) metrics.Family {
	f := *was
	f.Columns = nil
	now := c.now[f.Name]
	var last []int
	var rows *metrics.Rows
	for k := range was.Columns {
		col := &was.Columns[k]
		ended := c.column(col, now)
		if len(ended) == 0 {
			continue
		}

		together := k > 0 && was.Columns[k-1].Rows == col.Rows && slices.Equal(last, ended)
		if last = ended; !together { // the columns of a summary share their rows
			rows = endedRows(col.Rows, ended)
		}
		f.Columns = append(f.Columns, metrics.Column{
			Rows: rows, Extra: col.Extra, Suffix: col.Suffix, Form: col.Form, Bits: make([]uint64, len(ended)),
		})
	}
	return f
}

// column returns the rows of a column whose series are not in a family.
func (c *comparison) column(was *metrics.Column, now *metrics.Family) (ended []int) {
	for i := range was.Rows.Len() {
		if was.Has(i) && !c.has(now, was, i) {
			ended = append(ended, i)
		}
	}
	return ended
}

// has reports whether a family has the series of row i of a column.
func (c *comparison) has(now *metrics.Family, was *metrics.Column, i int) bool {
	if now == nil {
		return false
	}
	for k := range now.Columns {
		col := &now.Columns[k]
		if !sameLabels(col, was) {
			continue
		}
		if j := c.find(col.Rows, was.Rows, i); j >= 0 && col.Has(j) {
			return true
		}
	}
	return false
}

// find returns the row of rows with the labels of row i of other rows, or -1.
func (c *comparison) find(rows, was *metrics.Rows, i int) int {
	if rows == was {
		return i
	}
	index := c.rows[rows]
	if index == nil {
		index = &rowIndex{bySlice: map[*metrics.Label]int{}}
		for j := range rows.Len() {
			if labels := rows.Labels(j); len(labels) > 0 {
				index.bySlice[&labels[0]] = j
			}
		}
		c.rows[rows] = index
	}

	labels := was.Labels(i)
	if len(labels) > 0 {
		if j, ok := index.bySlice[&labels[0]]; ok {
			return j
		}
	}
	if index.byText == nil {
		index.byText = map[string]int{}
		for j := range rows.Len() {
			index.byText[textOf(rows.Labels(j))] = j
		}
	}
	if j, ok := index.byText[textOf(labels)]; ok {
		return j
	}
	return -1
}

func textOf(labels []metrics.Label) string {
	var b strings.Builder
	for _, l := range labels {
		b.WriteString(l.Name)
		b.WriteString(strconv.Quote(l.Value))
	}
	return b.String()
}

// endedRows returns some of rows.
func endedRows(rows *metrics.Rows, which []int) *metrics.Rows {
	var labels [][]metrics.Label
	var created []int64
	for n, i := range which {
		labels = append(labels, rows.Labels(i))
		if at, known := rows.Created(i); known {
			created = append(created, make([]int64, n+1-len(created))...)
			created[n] = at.UnixNano()
		}
	}
	if created != nil {
		created = append(created, make([]int64, len(which)-len(created))...)
	}
	return metrics.NewRows(labels, created)
}
