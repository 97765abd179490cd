package live

import (
	"cmp"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/titles"
)

const mostProcesses = 10

func narrowStandard(columns []winperf.Column) []winperf.Column {
	rank := rankProcesses(columns)
	var kept []winperf.Column
	for from := 0; from < len(columns); {
		to := from + 1
		for to < len(columns) && sameCounter(&columns[from], &columns[to]) {
			to++
		}
		if isProcess(&columns[from]) {
			kept = append(kept, ranked(columns[from:to], rank)...)
		} else {
			kept = append(kept, columns[from:to]...)
		}
		from = to
	}
	return kept
}

// sameCounter reports whether two columns have the same counter and object.
func sameCounter(a, b *winperf.Column) bool {
	x, y := a.Counter(), b.Counter()
	return x.ObjectID == y.ObjectID && x.CounterID == y.CounterID
}

// ranked returns the values of ranked instances in the order of their rank, one column each.
func ranked(columns []winperf.Column, rank map[string]int) []winperf.Column {
	type placed struct {
		place int
		value winperf.Column
	}
	var all []placed
	for i := range columns {
		c := &columns[i]
		for n := range c.Len() {
			if place := rank[InstanceText(c, n)]; place > 0 {
				all = append(all, placed{place, c.Slice(n, n+1)})
			}
		}
	}
	sorted.Func(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })

	var values []winperf.Column
	for _, p := range all {
		values = append(values, p.value)
	}
	return values
}

// InstanceText returns the n-th instance as written in a path.
func InstanceText(c *winperf.Column, n int) string {
	var s winperf.Series
	c.Describe(&s, n)
	return s.Path.InstanceText()
}

func isProcess(c *winperf.Column) bool { return c.Counter().ObjectID.Index == titles.Process }

type ranking struct {
	name       string
	id         bool // the process has a non-zero id
	busy, size float64
}

// rankProcesses returns the ranks of the shown instances, from 1, by processor time, then by memory.
// Instances with the id 0, such as Idle and _Total, are not processes.
func rankProcesses(columns []winperf.Column) map[string]int {
	byName := map[string]*ranking{}
	var list []*ranking
	for i := range columns {
		c := &columns[i]
		for n := range c.Len() {
			if !isProcess(c) || c.Status[n] != counter.OK {
				continue
			}

			name := InstanceText(c, n)
			p := byName[name]
			if p == nil {
				p = &ranking{name: name, busy: -1} // negative for a process that just began
				byName[name] = p
				list = append(list, p)
			}
			p.set(c.Counter().CounterID.Index, c.Value(n))
		}
	}

	list = slices.DeleteFunc(list, func(p *ranking) bool { return !p.id })
	sorted.Func(list, func(a, b *ranking) int {
		return cmp.Or(cmp.Compare(b.busy, a.busy), cmp.Compare(b.size, a.size))
	})
	rank := map[string]int{}
	for i, p := range list[:min(len(list), mostProcesses)] {
		rank[p.name] = i + 1
	}
	return rank
}

func (p *ranking) set(counter uint32, v counter.Value) {
	switch n, _ := v.Float64(); counter {
	case titles.ProcessorTime:
		p.busy = n
	case titles.WorkingSet:
		p.size = n
	case titles.IDProcess:
		p.id = n != 0
	}
}
