package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
)

// cooked puts readings that a source cooked itself into the order of the
// selection's parts. The order that it found holds as long as the series and
// their places stay the same.
type cooked struct {
	series []*winperf.Series // of the sample that the order was found for
	order  []int             // place in the sample of each reading, -1 for a part that nothing matches
	parts  []cookedPart
	plain  bool // the order is that of the sample
}

// cookedPart is what became of one part of the selection.
type cookedPart struct {
	status counter.Status // of a path that nothing matches
	end    int            // where its readings end
}

// read makes the readings of a cycle from those of a sample. It may exchange
// the two slices.
func (k *cooked) read(p *plan, c *Cycle, sample *[]winperf.Reading, n *notes) {
	if p.stale || !k.holds(*sample) {
		k.arrange(p, *sample, n)
		p.stale = false
	}

	if k.plain {
		c.readings, *sample = *sample, c.readings
	} else {
		k.copy(p, c, *sample)
	}

	if n.touched != 0 {
		for i := range c.readings {
			c.readings[i].Anomalies |= n.touched
		}
	}
	for _, part := range k.parts {
		c.Parts = append(c.Parts, part.end)
	}
	c.ColumnParts = append(c.ColumnParts, c.Parts...) // each column has one reading
	c.values = len(c.readings)
}

func (k *cooked) copy(p *plan, c *Cycle, sample []winperf.Reading) {
	c.readings = c.readings[:0]
	part := 0
	for n, at := range k.order {
		for k.parts[part].end <= n {
			part++
		}
		if at >= 0 {
			c.readings = append(c.readings, sample[at])
			continue
		}
		c.readings = append(c.readings, winperf.Reading{
			Series: p.parts[part].series, Time: c.Time, Status: k.parts[part].status,
		})
	}
}

func (k *cooked) holds(sample []winperf.Reading) bool {
	if k.parts == nil || len(k.series) != len(sample) {
		return false
	}
	for i := range sample {
		if sample[i].Series != k.series[i] {
			return false
		}
	}
	return true
}

// arrange gives every reading its place: that of the first part that wants it.
func (k *cooked) arrange(p *plan, sample []winperf.Reading, n *notes) {
	k.series = slices.Grow(k.series[:0], len(sample))
	k.order, k.parts = slices.Grow(k.order[:0], len(sample)), k.parts[:0]
	for i := range sample {
		k.series = append(k.series, sample[i].Series)
	}

	taken := make([]bool, len(sample))
	for i, s := range k.series {
		taken[i] = slices.ContainsFunc(p.exclude, func(x *selection.Path) bool {
			return x.Series(s) == counter.OK
		})
	}

	p.own = p.own[:0]
	for w := range p.parts {
		part, begin := &p.parts[w], len(k.order)
		if part.own {
			end, _ := p.arrangeOwn(part, begin, 0)
			for range end - begin {
				k.order = append(k.order, -1) // filled in later
			}
		}

		status := part.lack()
		for i, s := range k.series {
			got := part.wantsSeries(p, s)
			status = min(status, got) // OK is less than NoInstance, NoCounter, NoObject
			if got == counter.OK && !taken[i] {
				k.order, taken[i] = append(k.order, i), true
			}
		}

		if len(k.order) == begin && part.Path != nil && status != counter.OK {
			k.order = append(k.order, -1)
			part.judge(n, status)
		}
		part.judged = true
		k.parts = append(k.parts, cookedPart{status, len(k.order)})
	}

	p.twoSamples = false // the first row has all its values
	k.plain = len(k.order) == len(sample)
	for n, at := range k.order {
		k.plain = k.plain && n == at
	}
}

// wantsSeries reports whether the part is about a series: OK, or what the series
// is not.
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
