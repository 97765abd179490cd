package measure

import (
	"fmt"
	"time"

	"github.com/winperf/winperf"
)

// noteSource notes what is unusual about how the sample was taken: late, slowly,
// after others were missed, or with failures that the source tells of.
func (c *Context) noteSource() {
	n := &c.notes
	if c.missed > 0 {
		n.addToAll(winperf.Anomaly{
			Kind: winperf.SampleMissed, Detail: fmt.Sprintf("%d samples were due and not taken", c.missed),
			Action: "the readings are of the longer time",
		})
	} else if c.late > c.opt.interval()/4 {
		n.addToAll(winperf.Anomaly{Kind: winperf.SampleLate, Detail: fmt.Sprintf("taken %v after it was due", c.late), Action: "taken at once"})
	}
	if slow := c.slow(); !c.plan.recorded && c.taken > 1 && c.cost.Sample > slow {
		n.addToAll(winperf.Anomaly{
			Kind: winperf.SourceSlow, Detail: fmt.Sprintf("taking the sample lasted %v, more than %v", c.cost.Sample, slow),
		})
	}
	c.noteTrouble()
}

// noteTrouble notes what the source noticed since the cycle before.
func (c *Context) noteTrouble() {
	t, ok := c.src.(winperf.Troubled)
	if !ok {
		return
	}
	n := &c.notes
	from := len(n.list)
	n.list, c.known = t.Anomalies(n.list, c.known)
	for i := from; i < len(n.list); i++ {
		n.absent = n.absent.With(n.list[i].Kind)
		if n.list[i].Source == "" {
			n.list[i].Source = n.source
		}
	}
	if c.beside {
		n.list = n.list[:from] // those whom it is beside tell of it
	}
}

// noteGrowth notes that the sample did not fit into the buffer that was there
// for it, and remembers how long samples are.
func (c *Context) noteGrowth(room int) {
	size := len(c.cur.Raw().Bytes)
	if c.size > 0 && size > c.room && room > c.room {
		c.notes.addToAll(winperf.Anomaly{
			Kind: winperf.BufferGrew, Detail: fmt.Sprintf("from %d to %d bytes while the sample was taken", c.room, room),
			Action: "later samples get room for as much",
		})
	}
	c.size = size
}

func (c *Context) slow() time.Duration {
	if c.opt.Slow > 0 {
		return c.opt.Slow
	}
	return c.opt.interval() / 2
}
