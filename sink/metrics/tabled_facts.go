package metrics

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// factFamilies returns the metrics without counters for which facts exist. If the sample has several
// machines, the facts belong to none of them, and only the names of the samples are used.
func (s *tabled) factFamilies(machines []string) (all []factFamily) {
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.Kind != tables.Facts {
			continue
		}
		for r := range b.Rows {
			if f, ok := s.fact(&b.Rows[r], machines); ok {
				f.filters = ofCollector(s.filters, b.Collector)
				all = append(all, f)
			}
		}
	}
	return all
}

// factHelp has the help of each fact.
var factHelp = map[string]string{
	"names of the machine":       "Names of the machine.",
	"the operating system":       "Operating system of the machine.",
	"time of the sample":         "Time of the sample, since 1970.",
	"name of the time zone":      "Time zone of the machine.",
	"physical memory":            "Physical memory of the machine.",
	"address space of a process": "Largest address space of a process.",
	"logical processors":         "Logical processors of the machine.",
	"limit of processes":         "Largest number of processes.",
	"time of the installation":   "Time of the installation of the system, since 1970.",
	"start of the machine":       "Start time of the machine, since 1970.",
}

// hostHelp has the help of the rows whose values are of Options.HostValues.
var hostHelp = map[string]string{
	"processor package":       "Processor package.",
	"cores of a package":      "Cores of a processor package.",
	"processors of a package": "Logical processors of a processor package.",
	"cache of a package":      "Cache of a processor package, in KB.",
	"frequency at the start":  "Frequency of a processor when winperf started, in MHz.",
	"modified pages":          "Modified memory that is not yet written to disk, in bytes.",
	"interface":               "Network interface.",
	"state of an interface":   "Whether a network interface is in a state.",
	"address of an interface": "Address of a network interface.",
	"file system":             "File system.",
	"read-only volume":        "Whether a volume cannot be written.",
	"physical disk":           "Physical disk.",
	"size of a disk":          "Size of a physical disk, in bytes.",
	"partitions of a disk":    "Partitions of a physical disk.",
	"connections in a state":  "TCP connections in a state.",
	"temperature":             "Temperature of a thermal zone, in degrees Celsius.",
	"offset of the clock":     "Offset of the clock that is being corrected, in seconds.",
	"adjustment of the clock": "Adjustment of the clock's frequency, in parts per billion.",
	"source of the clock":     "Whether the clock is set from a source.",
	"state of a service":      "Whether a service is in a state.",
}

// fact returns the metric of a row of facts; false if its value is unknown.
func (s *tabled) fact(r *tables.Row, machines []string) (factFamily, bool) {
	what := r.Counters[0]
	f := factFamily{Family: Family{
		Name: r.Metric, Type: tableType(r.Type), Additive: r.Type == 'I', Unit: r.Unit,
		Help: factHelp[what],
	}}
	c := Column{Form: Whole, Rows: unlabelled, Bits: []uint64{1}}

	several := len(machines) > 1
	known := !several
	if help := hostHelp[what]; help != "" {
		f.Help, f.isHost = help, true
		return f, known && s.hosted
	}
	switch what {
	case "names of the machine", "the operating system":
		known = true
		c.Rows = s.machineRows(what, machines)
		c.Bits = slices.Repeat([]uint64{1}, c.Rows.Len())
	case "time of the sample":
		known = true
		c.Form, f.isTime = Ticks100ns, true
		if len(machines) == 1 && s.foreign(machines[0]) != "" {
			c.Rows = NewRows([][]Label{{{"instance", s.foreign(machines[0])}}}, nil)
		}
	case "name of the time zone":
		known = known && s.facts.TimeZone != ""
		c.Rows = NewRows([][]Label{{{"timezone", s.facts.TimeZone}}}, nil)
	default:
		c.Form, c.Bits[0] = s.factValue(what)
		known = known && c.Bits[0] != 0
	}
	f.Columns = []Column{c}
	return f, known
}

func (s *tabled) factValue(what string) (Form, uint64) {
	switch f := &s.facts; what {
	case "physical memory":
		return Whole, f.PhysicalMemory
	case "address space of a process":
		return Whole, f.AddressSpace
	case "logical processors":
		return Whole, uint64(max(0, f.LogicalProcessors))
	case "limit of processes":
		return Whole, f.ProcessLimit
	case "start of the machine":
		return factTime(f.Boot)
	case "time of the installation":
		return factTime(f.Installed)
	}
	return Whole, 0
}

// factTime returns a time in seconds since 1970, 0 if it is unknown.
func factTime(t time.Time) (Form, uint64) {
	if t.IsZero() {
		return Float, 0
	}
	return Float, math.Float64bits(float64(t.UnixMilli()) / 1000)
}

// machineRows returns a row of names, or of systems, for each machine.
func (s *tabled) machineRows(what string, machines []string) *Rows {
	if len(machines) == 0 {
		machines = []string{""}
	}

	var rows [][]Label
	for _, m := range machines {
		f := s.facts
		if len(machines) > 1 {
			f = Facts{}
		}
		ls := systemLabels(&f)
		if what == "names of the machine" {
			ls = nameLabels(&f, m)
		}
		if len(machines) > 1 {
			ls = append(ls, Label{"machine", m})
		}
		ls = append(ls, Label{"instance", s.foreign(m)})
		ls = slices.DeleteFunc(ls, func(l Label) bool { return l.Value == "" })
		sortLabels(ls)
		rows = append(rows, ls)
	}
	return NewRows(rows, nil)
}

// nameLabels returns the names of a machine, from the samples if there are no facts.
func nameLabels(f *Facts, machine string) []Label {
	host := cmp.Or(f.Hostname, strings.TrimLeft(machine, `\`))
	return []Label{{"domain", f.Domain}, {"fqdn", cmp.Or(f.FQDN, host)}, {"hostname", host}}
}

func systemLabels(o *Facts) []Label {
	return []Label{
		{"build_number", o.Build}, {"installation_type", o.Installation}, {"major_version", o.Major},
		{"minor_version", o.Minor}, {"product", o.Product}, {"revision", o.Revision}, {"version", o.Version},
	}
}
