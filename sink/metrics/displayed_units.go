package metrics

import (
	"fmt"
	"slices"
)

// omitConversions omits columns whose values another column has in a finer unit: Available MBytes next
// to Available Bytes.
func (c *displayable) omitConversions() {
	finest := map[string]*displayedColumn{}
	for i := range c.columns {
		col := &c.columns[i]
		key := col.stem()
		if was := finest[key]; was == nil || col.unit.factor() < was.unit.factor() {
			finest[key] = col
		}
	}

	var kept []displayedColumn
	at := make([]int, len(c.columns))
	for i := range c.columns {
		col := &c.columns[i]
		if finest[col.stem()].covers(col) {
			at[i] = -1
			continue
		}
		at[i] = len(kept)
		kept = append(kept, *col)
	}
	for i := range c.series {
		if column := c.series[i].column; column >= 0 {
			c.series[i].column = at[column]
		}
	}
	c.columns = kept
}

// stem returns the column's name before it is made unique.
func (c *displayedColumn) stem() string {
	ws := displayedWords(c.object, c.counter, c.unit)
	if nameless(c.counter) {
		ws = []string{"value"}
	}
	return stem(objectOf(c.object), ws) + c.unit.suffix()
}

func objectOf(name string) []string {
	if object, _ := objectWords(name); len(object) > 0 {
		return object
	}
	return []string{"object"}
}

// covers reports whether the column has all rows of another one with the same stem in a coarser unit.
func (c *displayedColumn) covers(coarser *displayedColumn) bool {
	if c.object != coarser.object || c.unit.factor() >= coarser.unit.factor() {
		return false
	}
	rows := map[string]bool{}
	for _, ls := range c.labels {
		rows[fmt.Sprint(ls)] = true
	}
	return !slices.ContainsFunc(coarser.labels, func(ls []Label) bool { return !rows[fmt.Sprint(ls)] })
}
