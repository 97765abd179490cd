package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
)

// displayed holds the displayable values of a frame. Each value keeps the series and the order of
// the sample.
type displayed struct {
	blocks []displayedBlock
	runs   []displayedRun // by part, then in the order of the sample
	parts  []displayedPart
}

type displayedPart struct {
	lack       counter.Status // OK, or the status for a part without values
	begin, end int
	out        int
}

type displayedBlock struct {
	series []*winperf.Series
	aged   bool // some values are older than the sample
	values *frame.Values
}

// displayedRun is a range of values of a block that are one column.
type displayedRun struct{ block, from, to int32 }

func (g *displayed) holds(f frame.Frame) bool {
	n := 0
	for v := range f.Values() {
		if n == len(g.blocks) || !g.blocks[n].is(v) {
			return false
		}
		n++
	}
	return n == len(g.blocks)
}

func (b *displayedBlock) is(v *frame.Values) bool {
	series := v.AllSeries()
	if len(series) != len(b.series) || v.Aged() != b.aged {
		return false
	}
	return len(series) == 0 || &series[0] == &b.series[0] || slices.Equal(series, b.series)
}

func (p *plan) planDisplayed(f frame.Frame) {
	g := &p.displayed
	g.blocks, g.runs, g.parts = g.blocks[:0], g.runs[:0], g.parts[:0]
	var taken [][]bool
	for v := range f.Values() {
		g.blocks = append(g.blocks, displayedBlock{series: v.AllSeries(), aged: v.Aged()})
		g.runs = slices.Grow(g.runs, len(v.AllSeries())) // the maximum; growing by append wastes memory
		taken = append(taken, p.excluded(v.AllSeries()))
	}

	for w := range p.parts {
		part := displayedPart{lack: p.parts[w].lack(), begin: len(g.runs)}
		for b := range g.blocks {
			part.lack = min(part.lack, p.take(w, b, taken[b]))
		}
		part.end = len(g.runs)
		g.parts = append(g.parts, part)
	}
}

func (p *plan) excluded(series []*winperf.Series) []bool {
	excluded := make([]bool, len(series))
	for i, s := range series {
		excluded[i] = slices.ContainsFunc(p.exclude, func(x *selection.Path) bool {
			return x.Series(s) == counter.OK
		})
	}
	return excluded
}

// take assigns the values of block b that part w selects first. It returns OK, or why the block has
// none.
func (p *plan) take(w, b int, taken []bool) counter.Status {
	g := &p.displayed
	series, first := g.blocks[b].series, len(g.runs)
	lack := p.parts[w].lack()
	for i, s := range series {
		status := p.parts[w].selectsSeries(p, s)
		lack = min(lack, status) // OK is less than NoInstance, NoCounter, NoObject
		if status != counter.OK || taken[i] {
			continue
		}

		taken[i] = true
		n := len(g.runs)
		if n > first && int(g.runs[n-1].to) == i && !g.blocks[b].aged && likeCounter(series[i-1], s) {
			g.runs[n-1].to++
			continue
		}
		g.runs = append(g.runs, displayedRun{int32(b), int32(i), int32(i + 1)})
	}
	return lack
}

func likeCounter(a, b *winperf.Series) bool {
	return a.Path.Counter == b.Path.Counter && a.Path.Object == b.Path.Object &&
		a.Path.Machine == b.Path.Machine && a.Path.HasInstance == b.Path.HasInstance &&
		a.ObjectID == b.ObjectID && a.CounterID == b.CounterID &&
		a.Type == b.Type && a.Unit == b.Unit && a.Scale == b.Scale
}

// selectsSeries returns OK, or the reason why the part does not select a series.
func (w *part) selectsSeries(p *plan, s *winperf.Series) counter.Status {
	if w.Path != nil {
		return w.Path.Series(s)
	}
	o := selection.Object{ID: s.ObjectID, Name: s.Path.Object, Costly: p.costly(s.ObjectID)}
	if w.Selects(o) == selection.NoMatch {
		return counter.NoObject
	}
	return counter.OK
}

// arrange returns the positions of the next reading and column after part w.
func (g *displayed) arrange(w, at, out int) (int, int) {
	part := &g.parts[w]
	part.out = out
	for _, r := range g.runs[part.begin:part.end] {
		at += int(r.to - r.from)
	}
	return at, out + part.end - part.begin
}

func (g *displayed) read(columns []winperf.Column, f frame.Frame, touched winperf.AnomalySet) {
	n := 0
	for v := range f.Values() {
		g.blocks[n].values = v
		n++
	}
	for _, part := range g.parts {
		for i, r := range g.runs[part.begin:part.end] {
			c := &columns[part.out+i]
			g.blocks[r.block].values.Column(c, int(r.from), int(r.to))
			c.Touched = touched
		}
	}
}
