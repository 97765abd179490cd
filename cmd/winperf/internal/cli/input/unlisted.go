package input

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/recook"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/stats"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// UnlistedName is the instance of the row of processor time that belongs to no listed process.
const UnlistedName = "(not in a listed process)"

var allProcessors = winperf.Path{
	Object: "Processor", HasInstance: true, Instance: "*", Counter: "% Processor Time",
}

// Unlisted computes the processor time of no listed process, such as processes that ended between two
// samples: the total of all processors minus the sum of all processes. The zero value computes nothing.
type Unlisted struct {
	every []bool // by part of the user's selection: selects the processor time of every process
	added bool   // a hidden part for the processors follows

	series map[string]*winperf.Series // by machine

	group  stats.Group
	Rows   []logs.Row
	Hidden map[string]bool // by logs.Gatherer.Name: rows of the added part
}

// FindUnlisted returns the Unlisted of a table. If a path selects every process, it adds a path for the
// processors to the selection.
func FindUnlisted(
	ctx context.Context, src winperf.Source, sel *winperf.Selection, opt *measure.Options, out *output.Flags,
) Unlisted {
	if format, _, err := out.Resolve(); err != nil || format != "table" {
		return Unlisted{}
	}

	u := Unlisted{series: map[string]*winperf.Series{}, Hidden: map[string]bool{}}
	for _, p := range sel.Paths {
		path := selection.NewPath(p)
		u.every = append(u.every, path.EveryInstance() && isProcessTime(ctx, src, p))
	}
	if sel.Global {
		u.every = []bool{true, true} // Global and Costly
	}

	// Excluded processes and percentages capped at 100 would be missing in the sum.
	excluded := func(p winperf.Path) bool { return !isIdleOrTotal(p.Instance) && isProcessTime(ctx, src, p) }
	if !slices.Contains(u.every, true) || opt.Cook.Cap100 || slices.ContainsFunc(opt.Exclude, excluded) {
		return Unlisted{}
	}

	if u.added = !sel.Global; u.added {
		sel.Paths = append(slices.Clone(sel.Paths), allProcessors)
	}
	return u
}

// isProcessTime reports whether a path names the processor time of processes. It looks up localized names
// in the source.
func isProcessTime(ctx context.Context, src winperf.Source, p winperf.Path) bool {
	path := selection.NewPath(p)
	if path.Object.Is(titles.Process, "Process") && path.Counter.Is(titles.ProcessorTime, "% Processor Time") {
		return true
	}

	schema, err := winperf.CostlySchema(ctx, src)
	if err != nil || schema == nil {
		return false // the measurement reports the error
	}
	names, _ := nametable.FromSchema(schema)
	path.Resolve(selection.NewTables(names))
	return path.Object.Is(titles.Process, "") && path.Counter.Is(titles.ProcessorTime, "")
}

// isIdleOrTotal reports whether an instance of Process has a name that is not a process.
func isIdleOrTotal(name string) bool { return frame.IsTotal(name) || strings.EqualFold(name, "Idle") }

// timeObject returns titles.Process or titles.Processor for a series of processor time, otherwise 0. Text
// logs have no title indices.
func timeObject(s *winperf.Series) uint32 {
	switch object := s.ObjectID.Index; {
	case object == 0 && !strings.EqualFold(s.Path.Counter, "% Processor Time"):
		return 0
	case object == 0 && strings.EqualFold(s.Path.Object, "Process"):
		return titles.Process
	case object == 0 && strings.EqualFold(s.Path.Object, "Processor"):
		return titles.Processor
	case s.CounterID.Index == titles.ProcessorTime && (object == titles.Process || object == titles.Processor):
		return object
	}
	return 0
}

// Own returns the number of columns that the user selected.
func (u *Unlisted) Own(cycle *measure.Cycle) int {
	if n := len(u.every); u.added && n <= len(cycle.ColumnParts) {
		return cycle.ColumnParts[n-1]
	}
	return len(cycle.Columns())
}

// Requested returns the anomalies without the one about the added path.
func (u *Unlisted) Requested(list []winperf.Anomaly) []winperf.Anomaly {
	if !u.added {
		return list
	}

	for i, a := range slices.Backward(list) {
		if a.Kind == winperf.PathUnmatched && strings.HasPrefix(a.Detail, allProcessors.String()+":") {
			return slices.Concat(list[:i], list[i+1:])
		}
	}
	return list
}

// Readings returns the processor time of no listed process for each machine.
func (u *Unlisted) Readings(cycle *measure.Cycle) []winperf.Reading {
	if u.every == nil {
		return nil
	}

	var found machineTimes
	for v := range u.times(cycle) {
		switch m := found.of(v.series); timeObject(v.series) {
		case titles.Process:
			m.addProcess(v)
		case titles.Processor:
			m.addProcessor(v)
		}
	}

	var list []winperf.Reading
	for _, m := range found {
		if r, ok := m.reading(); ok {
			r.Series = u.row(m.process)
			list = append(list, r)
		}
	}
	return list
}

type timeValue struct {
	series *winperf.Series
	name   string // the source's name, before naming rules
	at     time.Time
	value  float64
	status counter.Status
	every  bool // the path selects every process
	raw    bool // the source has raw values
}

func (u *Unlisted) times(cycle *measure.Cycle) iter.Seq[timeValue] {
	return func(yield func(timeValue) bool) {
		part, columns := 0, cycle.Columns()
		for i := range columns {
			for part < len(cycle.ColumnParts) && i >= cycle.ColumnParts[part] {
				part++
			}

			col := &columns[i]
			if col.Len() == 0 || timeObject(col.Series(0)) == 0 {
				continue
			}

			for n, status := range col.Status {
				v := timeValue{series: col.Series(n), at: col.Time, status: status, every: u.isEvery(part)}
				v.value, _ = col.Value(n).Float64()
				v.name = v.series.Path.Instance
				if o, _, at, ok := recook.Place(col, n); ok {
					v.name, v.raw = o.Instance(at).Name(), true
				}
				if !yield(v) {
					return
				}
			}
		}
	}
}

func (u *Unlisted) isEvery(part int) bool { return part < len(u.every) && u.every[part] }

func (u *Unlisted) row(process *winperf.Series) *winperf.Series {
	machine := process.Path.Machine
	if u.series[machine] == nil {
		p := process.Path
		p.Instance, p.Index = UnlistedName, 0
		s := winperf.NewSeries(p)
		s.ObjectID, s.CounterID = process.ObjectID, process.CounterID
		s.Type, s.Unit, s.Scale = process.Type, process.Unit, process.Scale
		u.series[machine] = s
	}
	return u.series[machine]
}

// Add adds a cycle to the statistics.
func (u *Unlisted) Add(cycle *measure.Cycle, g *logs.Gatherer) {
	for _, c := range cycle.Columns()[u.Own(cycle):] {
		for _, s := range c.AllSeries() {
			u.Hidden[g.Name(s)] = true
		}
	}

	for _, r := range u.Readings(cycle) {
		at := slices.IndexFunc(u.Rows, func(row logs.Row) bool { return row.Series == r.Series })
		if at < 0 {
			at = len(u.Rows)
			u.group.Above = g.Above
			u.Rows = append(u.Rows, logs.Row{Series: r.Series, Values: u.group.Series(r.Type.OverTime())})
		}

		values, t := u.Rows[at].Values, r.Time.Sub(g.Time(0))
		if values.Has(t) {
			continue // the sample of another log
		}
		switch v, _ := r.Value.Float64(); r.Status {
		case counter.OK:
			values.Add(t, v)
		case counter.NoPrevious:
			values.Pass(t)
		default:
			values.Miss(t)
		}
	}
}

// Begin starts another log of a machine.
func (u *Unlisted) Begin(machine string) {
	for _, row := range u.Rows {
		if strings.EqualFold(row.Series.Path.Machine, machine) {
			row.Values.Break()
		}
	}
}

type machineTimes []*machineTime

func (l *machineTimes) of(s *winperf.Series) *machineTime {
	for _, m := range *l {
		if strings.EqualFold(m.machine, s.Path.Machine) {
			return m
		}
	}
	m := &machineTime{machine: s.Path.Machine, totalStatus: counter.NoInstance, lacks: counter.NoPrevious}
	*l = append(*l, m)
	return m
}

// machineTime is the processor time of one machine in one sample, in percent of one processor.
type machineTime struct {
	machine string

	process *winperf.Series // series of a process; nil if not every process is selected
	at      time.Time       // time of the sample of processes
	used    float64         // by all processes
	lacks   counter.Status  // the reason why the sum is unknown, otherwise OK

	total       float64 // average of all processors
	totalAt     time.Time
	totalStatus counter.Status
	processors  int
}

func (m *machineTime) addProcess(v timeValue) {
	if v.isNoProcess() || v.status.NamesNothing() {
		return
	}
	if v.every {
		m.process, m.at = v.series, v.at
	}

	// A process without a previous sample has no value. An empty cell of a text log usually is a process
	// that did not exist.
	switch {
	case v.status == counter.InvalidData && !v.raw:
	case v.status == counter.OK:
		m.used += v.value
		if m.lacks == counter.NoPrevious {
			m.lacks = counter.OK
		}
	case v.status != counter.NoPrevious:
		m.lacks = v.status
	}
}

func (m *machineTime) addProcessor(v timeValue) {
	switch {
	case frame.IsTotal(v.name):
		m.total, m.totalAt, m.totalStatus = v.value, v.at, v.status
	case !v.status.NamesNothing():
		m.processors++
	}
}

// isNoProcess reports whether the value is of Idle or _Total. A process with such a name has another id.
func (v *timeValue) isNoProcess() bool {
	key := v.series.Key
	return isIdleOrTotal(v.name) && (key == "" || strings.HasPrefix(key, "0@"))
}

const sampledTogether = 100 * time.Millisecond

// reading returns the processor time of no listed process; ok is false if a part is missing.
func (m *machineTime) reading() (r winperf.Reading, ok bool) {
	apart := m.totalAt.Sub(m.at).Abs() >= sampledTogether
	if m.process == nil || m.processors == 0 || m.totalStatus.NamesNothing() || apart {
		return r, false
	}

	r.Time, r.Status = m.totalAt, m.totalStatus
	if r.Status == counter.OK {
		r.Status = m.lacks
	}
	if r.Status == counter.OK {
		r.Value = counter.Float(max(0, m.total*float64(m.processors)-m.used))
	}
	return r, true
}
