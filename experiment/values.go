package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/recook"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/measure"
)

func (b *binding) begin(t *ticket, cycles []sensor.MemberCycle) {
	p := t.part
	p.cost, p.blocked, p.err, p.sample = t.cost, t.heldUp(), t.err, b.switches.sample
	if t.err != nil {
		return
	}

	m := newMarks(b.sampler, b.width, len(cycles))
	for i := range cycles {
		if c := cycles[i].Cycle; c != nil {
			m.origins[i].clocks, m.origins[i].from = c.Frame.Clocks(), len(m.list)
			markCycle(m, c)
			m.origins[i].to = len(m.list)
			m.origins[i].objects = timedObjects(c.Frame)
		}
	}
	b.width = len(m.list)
	b.experiment.operands.keep(p, m)
}

func markCycle(m *marks, c *measure.Cycle) {
	columns := c.Columns()
	for i := range columns {
		col := &columns[i]
		for n, s := range col.AllSeries() {
			if o, status := recook.Operands(col, n); status == counter.OK {
				m.add(s, &o)
			} else {
				m.add(s, nil)
			}
		}
	}
}

// timedObjects returns the clocks of the objects in a frame that have the start times of instances.
func timedObjects(f frame.Frame) (list []objectClocks) {
	for o := range f.Objects() {
		if _, timed := o.FindCounter(winperf.CounterID{Index: titles.ElapsedTime}); timed {
			list = append(list, objectClocks{o.ID(), o.Clocks()})
		}
	}
	return list
}

func (b *binding) store(t *ticket, cycles []sensor.MemberCycle) {
	r := &Record{
		Experiment: b.experiment.name, Session: b.experiment.session, Binding: b.opt.Name,
		Event: t.event, Begun: t.begun, Ended: t.ended,
		Delay: max(0, t.begun.Sub(t.emitted)), Blocked: t.heldUp(), Cost: t.cost,
	}

	var m *marks
	err := t.err
	if t.part != nil {
		r.Kind = Span
		m, err = b.endPart(r, t.part, err)
	}

	if err != nil {
		b.failed.Add(1)
		r.Err = err.Error()
	} else {
		b.switches.record(t)
		b.fill(r, cycles, m)
		if m != nil {
			r.Anomalies = b.noted.since(t.part.noted)
		}
	}

	if b.summary != nil {
		known := b.summary.add(r)
		if b.opt.Aggregate.Only {
			if !known {
				b.experiment.store.lose(&b.quota)
			}
			return
		}
	}
	b.experiment.store.put(&b.quota, r)
}

type anomalies struct {
	list  []winperf.Anomaly
	count uint64
}

const maxAnomalies = 256

func (a *anomalies) add(list []winperf.Anomaly) {
	a.count += uint64(len(list))
	a.list = append(a.list, list...)
	if over := len(a.list) - maxAnomalies; over > 0 {
		a.list = slices.Delete(a.list, 0, over)
	}
}

func (a *anomalies) since(count uint64) []winperf.Anomaly {
	n := min(int(a.count-count), len(a.list))
	return slices.Clone(a.list[len(a.list)-n:])
}

func (b *binding) endPart(r *Record, p *part, err error) (*marks, error) {
	r.Blocked += p.blocked
	addCost(&r.Cost, p.cost)

	m := b.experiment.operands.take(p)
	switch {
	case p.err != nil:
		return nil, fmt.Errorf("at the begin: %w", p.err)
	case m == nil:
		return nil, errOverflow
	}
	return m, err
}

func (b *binding) fill(r *Record, cycles []sensor.MemberCycle, m *marks) {
	r.Values = make([]Value, 0, b.width)
	for i := range cycles {
		r.Anomalies = append(r.Anomalies, cycles[i].Anomalies...)
		c := cycles[i].Cycle
		if c == nil {
			continue
		}

		r.Anomalies = append(r.Anomalies, c.Anomalies...)
		if m != nil {
			m.selectSource(b.sampler, i)
		}
		columns := c.Columns()
		for k := range columns {
			b.fillColumn(r, &cycles[i], &columns[k], m)
		}
	}
	b.width = len(r.Values)
}

func (b *binding) fillColumn(r *Record, of *sensor.MemberCycle, col *winperf.Column, m *marks) {
	c, source := of.Cycle, b.nameOf(of)
	age := max(0, c.Time.Sub(col.Time))
	for n, s := range col.AllSeries() {
		v := Value{Path: s.String(), Source: source, Series: s, Unit: s.Unit, Age: age}
		v.Touched = col.Touched | b.switches.marks(s)
		v.Value, v.Status = col.Value(n), col.Status[n]
		if col.Marks != nil {
			v.Touched |= col.Marks[n]
		}
		if m == nil {
			b.addRaw(&v, col, n)
		} else {
			b.since(&v, c, col, n, m)
		}
		r.Values = append(r.Values, v)
	}
}

// nameOf returns the name of a source if the experiment has several, since paths may be equal in two
// sources.
func (b *binding) nameOf(c *sensor.MemberCycle) string {
	if len(b.experiment.opt.Sources) < 2 {
		return ""
	}
	return c.Origin
}

func (b *binding) addRaw(v *Value, col *winperf.Column, n int) {
	if !b.opt.Raw {
		return
	}
	if o, status := recook.Operands(col, n); status == counter.OK {
		v.Raw = []counter.Sample{o}
	}
}

func (b *binding) since(v *Value, c *measure.Cycle, col *winperf.Column, n int, m *marks) {
	at := m.find(v.Series)
	newer, status := recook.Operands(col, n)
	if status != counter.OK {
		return // a text, or the value's status is the reason
	}
	if at < 0 {
		b.addNew(v, c, col, n, m, newer)
		return
	}

	older, known := m.operands(at)
	if !known {
		v.setNoPrevious()
		return
	}
	result := recook.Since(col, n, older, newer, c.Cook)
	v.Value, v.Status = result.Value, result.Status
	from := recook.Older(col, n, older, newer)
	if d, has := difference(v.Series.Type, &from, &newer, result.Status); has {
		v.setDifference(d, &newer.Clocks)
	}
	if b.opt.Raw {
		v.Raw = []counter.Sample{older, newer}
	}
}

// addNew computes the value of a series that was not measured at the begin of its region. A process or
// thread that began in the region counts from 0. It has no rate if its object was missing at the begin.
func (b *binding) addNew(
	v *Value, c *measure.Cycle, col *winperf.Column, n int, m *marks, newer counter.Sample,
) {
	v.setNoPrevious()
	if b.opt.Raw {
		v.Raw = []counter.Sample{newer}
	}
	if m.source < 0 {
		return
	}

	clocks, there := m.origins[m.source].of(v.Series.ObjectID)
	older := counter.Sample{Clocks: clocks}
	if !beganBetween(v.Series, older.Clocks, newer.Clocks) {
		return
	}
	v.Touched = v.Touched.With(winperf.InstancesAdded)
	if !frame.CountsFromZero(v.Series.Type) {
		return
	}
	v.setDifference(newer.Value, &newer.Clocks)

	if there && !c.Cook.NeedPrevious {
		result := recook.Since(col, n, older, newer, c.Cook)
		v.Value, v.Status = result.Value, result.Status
		v.Touched = v.Touched.With(winperf.InstanceBegan)
	}
}

// beganBetween reports whether the process or thread of a series began between two samples. Process id 0
// is Idle, which is not a process.
func beganBetween(s *winperf.Series, older, newer counter.Clocks) bool {
	id, text, _ := strings.Cut(s.Key, "@")
	process, _, _ := strings.Cut(id, "/")
	start, err := strconv.ParseUint(text, 10, 64)
	return err == nil && process != "0" && frame.BeganBetween(start, older, newer)
}

func (v *Value) setNoPrevious() {
	if v.Series.Type.Samples() == 2 {
		v.Value, v.Status = counter.Value{}, counter.NoPrevious
	}
}

func (v *Value) setDifference(by uint64, clocks *counter.Clocks) {
	v.Difference, v.HasDifference = by, true

	clock := v.Series.Type.TimerClock()
	if v.Series.Type.Unit() == counter.Seconds {
		clock = v.Series.Type.Clock() // an average: the total time of all operations
	}
	_, perSecond := clocks.At(clock)
	v.TicksPerSecond = max(perSecond, 0)
}

// Grown returns the difference and its unit: seconds if it is a time, else a count.
func (v *Value) Grown() (float64, counter.Unit) {
	if v.TicksPerSecond > 0 {
		return float64(v.Difference) / float64(v.TicksPerSecond), counter.Seconds
	}
	return float64(v.Difference), counter.Count
}

// difference returns the increase of an accumulating counter. A raw value of 4 bytes may have wrapped;
// the status counter.OK means that the formula accepted this.
func difference(t counter.Type, older, newer *counter.Sample, status counter.Status) (grown uint64, ok bool) {
	switch {
	case !t.Cumulative():
		return 0, false
	case newer.Value >= older.Value:
		grown = newer.Value - older.Value
	case status == counter.OK && older.Value <= math.MaxUint32:
		grown = uint64(uint32(newer.Value - older.Value))
	default:
		return 0, false
	}

	if !t.Inverse() {
		return grown, true
	}
	return rest(t, older, newer, grown, status)
}

// rest returns the rest of a region for an inverse timer, whose raw value grows while there is nothing to
// count. The raw value may be slightly ahead of its clock. A region too short for a value has no rest.
func rest(
	t counter.Type, older, newer *counter.Sample, grown uint64, status counter.Status,
) (left uint64, ok bool) {
	begin, _ := older.Clocks.At(t.TimerClock())
	end, _ := newer.Clocks.At(t.TimerClock())
	if end <= begin || status != counter.OK {
		return 0, false
	}
	all := uint64(end - begin)
	if t.IsMulti() {
		all *= newer.Multi
	}
	return all - min(all, grown), true
}
