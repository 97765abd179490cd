package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
)

// given are the displayable values of a frame, which are read as they are. A value has the series that
// the sample gives it, and stays in the order of the sample.
type given struct {
	blocks []givenBlock
	runs   []givenRun // by part, then in the order of the sample
	parts  []givenPart
}

// givenPart is what a part of the selection has of the values.
type givenPart struct {
	lack       counter.Status // OK, or what they lack for it
	begin, end int            // of its runs
	out        int            // where its columns are
}

// givenBlock is what was planned for.
type givenBlock struct {
	series []*winperf.Series
	aged   bool // there are values of an earlier time
	values *frame.Values
}

// givenRun are values of a block that make a column.
type givenRun struct{ block, from, to int32 }

// holds reports whether a frame has the values that were planned for.
func (g *given) holds(f frame.Frame) bool {
	n := 0
	for v := range f.Values() {
		if n == len(g.blocks) || !g.blocks[n].is(v) {
			return false
		}
		n++
	}
	return n == len(g.blocks)
}

func (b *givenBlock) is(v *frame.Values) bool {
	series := v.AllSeries()
	if len(series) != len(b.series) || v.Aged() != b.aged {
		return false
	}
	return len(series) == 0 || &series[0] == &b.series[0] || slices.Equal(series, b.series)
}

// planGiven gives each displayable value of a frame to the first part that wants it.
func (p *plan) planGiven(f frame.Frame) {
	g := &p.given
	g.blocks, g.runs, g.parts = g.blocks[:0], g.runs[:0], g.parts[:0]
	var taken [][]bool
	for v := range f.Values() {
		g.blocks = append(g.blocks, givenBlock{series: v.AllSeries(), aged: v.Aged()})
		g.runs = slices.Grow(g.runs, len(v.AllSeries())) // the most; what grows by itself leaves much behind
		taken = append(taken, p.excluded(v.AllSeries()))
	}

	for w := range p.parts {
		part := givenPart{lack: p.parts[w].lack(), begin: len(g.runs)}
		for b := range g.blocks {
			part.lack = min(part.lack, p.take(w, b, taken[b]))
		}
		part.end = len(g.runs)
		g.parts = append(g.parts, part)
	}
}

// excluded reports which series are excluded.
func (p *plan) excluded(series []*winperf.Series) []bool {
	excluded := make([]bool, len(series))
	for i, s := range series {
		excluded[i] = slices.ContainsFunc(p.exclude, func(x *selection.Path) bool {
			return x.Series(s) == counter.OK
		})
	}
	return excluded
}

// take gives a part the values of a block that it wants and that are not taken. It returns what the block
// lacks for it.
func (p *plan) take(w, b int, taken []bool) counter.Status {
	g := &p.given
	series, first := g.blocks[b].series, len(g.runs)
	lack := p.parts[w].lack()
	for i, s := range series {
		status := p.parts[w].wantsSeries(p, s)
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
		g.runs = append(g.runs, givenRun{int32(b), int32(i), int32(i + 1)})
	}
	return lack
}

// likeCounter reports whether two series have in common what the values of a column have.
func likeCounter(a, b *winperf.Series) bool {
	return a.Path.Counter == b.Path.Counter && a.Path.Object == b.Path.Object &&
		a.Path.Machine == b.Path.Machine && a.Path.HasInstance == b.Path.HasInstance &&
		a.ObjectID == b.ObjectID && a.CounterID == b.CounterID &&
		a.Type == b.Type && a.Unit == b.Unit && a.Scale == b.Scale
}

// wantsSeries reports whether the part is about a series: OK, or what the series is not.
func (w *part) wantsSeries(p *plan, s *winperf.Series) counter.Status {
	if w.Path != nil {
		return w.Path.Series(s)
	}
	o := selection.Object{ID: s.ObjectID, Name: s.Path.Object, Costly: p.costly(s.ObjectID)}
	if w.Wants(o) == selection.Unwanted {
		return counter.NoObject
	}
	return counter.OK
}

// arrange gives the values of a part their places, from reading at and column out on, and
// returns the next ones.
func (g *given) arrange(w, at, out int) (int, int) {
	part := &g.parts[w]
	part.out = out
	for _, r := range g.runs[part.begin:part.end] {
		at += int(r.to - r.from)
	}
	return at, out + part.end - part.begin
}

// read makes the columns of a frame, which some anomalies touch as a whole.
func (g *given) read(columns []winperf.Column, f frame.Frame, touched winperf.AnomalySet) {
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
