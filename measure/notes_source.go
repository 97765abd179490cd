package measure

import (
	"fmt"

	"github.com/winperf/winperf"
)

func (c *Measurement) noteSource() {
	n := &c.notes
	if c.missed > 0 {
		n.addToAll(winperf.Anomaly{
			Kind: winperf.SampleMissed, Detail: fmt.Sprintf("%d samples were due and not taken", c.missed),
			Action: "the readings cover the longer time",
		})
	} else if c.late > c.opt.interval()/4 {
		n.addToAll(winperf.Anomaly{Kind: winperf.SampleLate, Detail: fmt.Sprintf("taken %v after it was due",
			c.late), Action: "taken at once"})
	}

	if slow := c.opt.interval() / 2; !c.plan.recorded && c.taken > 1 && c.cost.Sample > slow {
		n.addToAll(winperf.Anomaly{
			Kind:   winperf.SourceSlow,
			Detail: fmt.Sprintf("taking the sample lasted %v, more than %v", c.cost.Sample, slow),
		})
	}
	c.noteTrouble()
}

func (c *Measurement) noteTrouble() {
	if c.is.Anomalies == nil {
		return
	}
	n := &c.notes
	from := len(n.list)
	n.list, c.known = c.is.Anomalies(n.list, c.known)

	for i := from; i < len(n.list); i++ {
		n.absent = n.absent.With(n.list[i].Kind)
		if n.list[i].Source == "" {
			n.list[i].Source = n.source
		}
	}
}

// Grew reports whether the last sample did not fit into its buffer, so that the sample lasted longer.
// Decode reports this as winperf.BufferGrew. Call Grew between Sample and Decode, in the goroutine that
// measures. Before a program runs the code to measure, it can repeat the sample, so that the allocation
// does not affect the result.
func (c *Measurement) Grew() bool {
	for i := range c.sample.Parts {
		if b := c.sample.Parts[i].Block; b != nil && c.taken > 1 {
			if _, grew := grew(b); grew {
				return true
			}
		}
	}
	return false
}

// grew reports whether a block's buffer was too small, and its size. Blocks of displayable values are
// excluded: their values exist before the block.
func grew(b *winperf.Block) (size int, grew bool) {
	size, grew = b.Grew()
	return size, grew && b.Format != winperf.FormatValues
}

func (c *Measurement) noteSize() {
	c.cost.Bytes = 0
	for i := range c.cycle.Sample.Parts {
		b := c.cycle.Sample.Parts[i].Block
		if b == nil {
			continue
		}
		c.cost.Bytes += len(b.Bytes)
		if size, grew := grew(b); grew && c.taken > 1 {
			c.notes.addToAll(winperf.Anomaly{
				Kind:   winperf.BufferGrew,
				Detail: fmt.Sprintf("from %d to %d bytes while the sample was taken", size, cap(b.Bytes)),
				Action: "later samples use the larger buffer",
			})
		}
	}
}
