package metrics

import (
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/sink/metrics/internal/groups"
)

// grouped has the metrics of process groups.
type grouped struct {
	opt     Grouping
	name    groupNamer
	control *controlGroups // nil without ByControlGroup
	state   *groups.State

	number    uint64 // of the object that was added last
	time      counter.Clocks
	raw       []rawProcess
	column    []uint64
	processes []groups.Process
	rows      *Rows
	families  []Family
}

func newGrouped(opt *Options) *grouped {
	var fixed []string
	for _, g := range opt.Groups.Groups {
		fixed = append(fixed, g.Name)
	}
	g := &grouped{
		opt: opt.Groups, name: opt.Groups.namer(opt.UserName), state: groups.New(fixed), rows: NewRows(nil, nil),
		families: newGroupFamilies(),
	}

	if opt.Groups.By == ByControlGroup {
		g.control = newControlGroups(opt.ControlGroup)
		g.name = g.control.name
	}
	return g
}

// Positions of the needed counters in processCounters.
const (
	processID = iota
	processParent
	processStart
	processVirtual
	processUser
	firstAmount
	firstWaited = firstAmount + int(groups.NumCounters)
	firstGauge  = firstWaited + int(groups.NumCounters)
	numCounters = firstGauge + int(groups.NumGauges)
)

// processCounters are the counters of the object Process that groups need. Linux has those of ended
// children.
var processCounters = [numCounters]struct {
	index uint32
	name  string // English
}{
	processID:      {titles.IDProcess, "ID Process"},
	processParent:  {1410, "Creating Process ID"},
	processStart:   {titles.ElapsedTime, "Elapsed Time"},
	processVirtual: {174, "Virtual Bytes"},
	processUser:    {titles.UserID, "User ID"},

	firstAmount + int(groups.Time):        {titles.ProcessorTime, "% Processor Time"},
	firstAmount + int(groups.ReadBytes):   {1420, "IO Read Bytes/sec"},
	firstAmount + int(groups.WriteBytes):  {1422, "IO Write Bytes/sec"},
	firstAmount + int(groups.Faults):      {28, "Page Faults/sec"},
	firstAmount + int(groups.MajorFaults): {titles.MajorFaults, "Major Faults/sec"},

	firstWaited + int(groups.Time):        {titles.EndedChildrenTime, "% Ended Children Time"},
	firstWaited + int(groups.Faults):      {titles.EndedChildrenFaults, "Ended Children Page Faults/sec"},
	firstWaited + int(groups.MajorFaults): {titles.EndedChildrenMajorFaults, "Ended Children Major Faults/sec"},

	firstGauge + int(groups.Threads):      {680, "Thread Count"},
	firstGauge + int(groups.WorkingSet):   {titles.WorkingSet, "Working Set"},
	firstGauge + int(groups.PrivateBytes): {186, "Private Bytes"},
}

// groupsOf returns the object Process of a frame of one machine, whose series have no label for it.
func (m *Mapper) groupsOf(f frame.Frame) (o frame.Object, ok bool) {
	if m.groups == nil {
		return o, false
	}
	o, ok = f.Find(winperf.ObjectID{Index: titles.Process})
	if !ok || o.Metadata() || m.several || m.opt.foreign(o.Machine()) != "" {
		return o, false
	}
	_, ok = o.FindCounter(winperf.CounterID{Index: titles.IDProcess})
	return o, ok
}

// add adds a sample of processes, unless it was the last one.
func (g *grouped) add(o frame.Object) {
	if g.number == o.Number() {
		return
	}
	g.number = o.Number()
	clocks := o.Clocks()
	elapsed := uint64(0)
	if d := clocks.PerfTime - g.time.PerfTime; d > 0 && clocks.PerfFreq > 0 {
		elapsed = uint64(float64(d) / float64(clocks.PerfFreq) * ticksPerSecond)
	}
	g.time = clocks

	g.read(o)
	g.state.Add(g.processes, elapsed)
	g.label(winperf.FromFiletime(clocks.Time100ns).UnixNano())
	g.fill()
}

// read reads the processes of a sample, without totals and Idle, which have the process id 0.
func (g *grouped) read(o frame.Object) {
	n := o.Len()
	g.raw = slices.Grow(g.raw[:0], n)[:n]
	clear(g.raw)
	g.column = slices.Grow(g.column[:0], n)[:n]
	for at := range processCounters {
		k, ok := o.FindCounter(winperf.CounterID{Index: processCounters[at].index})
		if !ok || processCounters[at].index == 0 {
			continue
		}
		whole := o.ReadRaw(g.column, k, 0)
		for i, v := range g.column {
			known := whole
			if !whole {
				_, known = o.Raw(i, k)
			}
			g.raw[i].set(at, v, known)
		}
	}

	g.processes = g.processes[:0]
	if g.control != nil {
		g.control.next()
	}
	clock := startClock{}
	if k, ok := o.FindCounter(winperf.CounterID{Index: titles.ElapsedTime}); ok {
		clock = startClockOf(o, 0, k)
	}
	_, linux := o.FindCounter(winperf.CounterID{Index: titles.EndedChildrenTime})
	for i := range g.raw {
		if r := &g.raw[i]; r.values[processID] != 0 {
			p := r.process(&clock, linux)
			p.Name = g.name(groupName(o.Labels().Full(i), r), r)
			g.processes = append(g.processes, p)
		}
	}
}

// rawProcess has the raw values of processCounters. known has bit i set if value i is known.
type rawProcess struct {
	values [numCounters]uint64
	known  uint32
}

func (r *rawProcess) set(at int, v uint64, known bool) {
	if known {
		r.values[at] = v
		r.known |= 1 << at
	}
}

func (r *rawProcess) has(at int) bool { return r.known>>at&1 != 0 }

// process returns the process. On Linux, the amounts of input and output include ended children.
func (r *rawProcess) process(clock *startClock, linux bool) groups.Process {
	p := groups.Process{
		ID: r.values[processID], Parent: r.values[processParent], Started: r.values[processStart],
		Lacks:      uint8(^r.known >> firstAmount & (1<<groups.NumCounters - 1)),
		LacksGauge: uint8(^r.known >> firstGauge & (1<<groups.NumGauges - 1)),
	}
	copy(p.Own[:], r.values[firstAmount:])
	copy(p.Waited[:], r.values[firstWaited:])
	copy(p.Gauges[:], r.values[firstGauge:])
	if linux {
		for _, c := range []groups.Counter{groups.ReadBytes, groups.WriteBytes} {
			p.Waited[c], p.Own[c] = p.Own[c], 0
		}
	}

	if began, ok := clock.began(p.Started); ok {
		p.Began = began
		p.Age = uint64(max(0, clock.system-int64(unixEpoch)-int64(began)))
	}
	return p
}

// groupName returns the name of a process. Kernel threads of Linux, which have no memory, lose the number
// of the processor and the task: kworker_0:1-events is kworker.
func groupName(name string, r *rawProcess) string {
	if r.has(processVirtual) && r.values[processVirtual] == 0 {
		name, _, _ = strings.Cut(name, "_")
	}
	return name
}

// label updates the rows of the groups. New ones count from the time of the sample.
func (g *grouped) label(now int64) {
	all := g.state.Groups()
	if g.rows.Len() == len(all) {
		return
	}
	labels, created := slices.Clone(g.rows.labels), slices.Clone(g.rows.created)
	for _, group := range all[len(labels):] {
		labels = append(labels, []Label{{Name: "group", Value: group.Name}})
		created = append(created, now)
	}
	g.rows = NewRows(labels, created)
}

// groupMetric is a metric of groups: the value of a group, false for none.
type groupMetric struct {
	name, unit, help string
	kind             Type
	form             Form
	value            func(*groups.Group) (uint64, bool)
}

func total(c groups.Counter) func(*groups.Group) (uint64, bool) {
	return func(g *groups.Group) (uint64, bool) { return g.Total[c], g.Has>>c&1 != 0 }
}

func sumOf(i groups.Gauge) func(*groups.Group) (uint64, bool) {
	return func(g *groups.Group) (uint64, bool) { return g.Sum[i], g.HasGauge>>i&1 != 0 }
}

func maxOf(i groups.Gauge) func(*groups.Group) (uint64, bool) {
	return func(g *groups.Group) (uint64, bool) { return g.Max[i], g.HasGauge>>i&1 != 0 && g.Processes > 0 }
}

var groupMetrics = []groupMetric{
	{"processor_time_seconds_total", "seconds", "Processor time of the processes, also of ended ones.", Counter,
		Ticks100ns, total(groups.Time)},
	{"io_read_bytes_total", "bytes", "Bytes that the processes read, also ended ones.", Counter, Whole,
		total(groups.ReadBytes)},
	{"io_write_bytes_total", "bytes", "Bytes that the processes wrote, also ended ones.", Counter, Whole,
		total(groups.WriteBytes)},
	{"page_faults_total", "", "Page faults of the processes, also of ended ones.", Counter, Whole,
		total(groups.Faults)},
	{"major_faults_total", "", "Page faults that waited for a device, also of ended processes.", Counter, Whole,
		total(groups.MajorFaults)},
	{"processes", "", "Number of processes.", Gauge, Whole,
		func(g *groups.Group) (uint64, bool) { return g.Processes, true }},
	{"threads", "", "Number of threads.", Gauge, Whole, sumOf(groups.Threads)},
	{"working_set_bytes", "bytes", "Sum of the working sets, with shared memory counted for each process.", Gauge,
		Whole, sumOf(groups.WorkingSet)},
	{"working_set_max_bytes", "bytes", "Working set of the largest process.", Gauge, Whole,
		maxOf(groups.WorkingSet)},
	{"private_bytes", "bytes", "Sum of the private memory.", Gauge, Whole, sumOf(groups.PrivateBytes)},
	{"private_max_bytes", "bytes", "Private memory of the largest process.", Gauge, Whole,
		maxOf(groups.PrivateBytes)},
	{"oldest_start_time_seconds", "seconds", "Start of the oldest process, in seconds since 1970.", Gauge,
		Ticks100ns, func(g *groups.Group) (uint64, bool) { return g.Oldest, g.Oldest != 0 }},
}

// fill sets the values.
func (g *grouped) fill() {
	all := g.state.Groups()
	for m := range g.families {
		c := &g.families[m].Columns[0]
		c.Rows = g.rows
		c.Bits = slices.Grow(c.Bits[:0], len(all))[:len(all)]
		words := (len(all) + 63) / 64
		c.Absent = slices.Grow(c.Absent[:0], words)[:words]
		clear(c.Absent)
		for i, group := range all {
			n, known := groupMetrics[m].value(group)
			c.Bits[i] = n
			if !known {
				c.Bits[i] = 0
				c.Absent[i/64] |= 1 << (i % 64)
			}
		}
	}
}

// newGroupFamilies returns the families, with one column each.
func newGroupFamilies() (list []Family) {
	for _, m := range groupMetrics {
		list = append(list, Family{
			Name: "winperf_process_group_" + m.name, Type: m.kind, Unit: m.unit, Help: m.help, Object: "Process",
			Columns: []Column{{Rows: NewRows(nil, nil), Form: m.form}},
		})
	}
	return list
}
