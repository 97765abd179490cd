package metrics

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// told are the metrics of the tables that are of no counter, as far as the machine's facts
// give them values. What a machine is called follows from its samples, too: each of several
// in a record has its names, and the facts are of none of them.
func (s *tabled) told(machines []string) (all []told) {
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.Kind != tables.Facts {
			continue
		}
		for r := range b.Rows {
			if f, ok := s.fact(&b.Rows[r], machines); ok {
				all = append(all, f)
			}
		}
	}
	return all
}

// factHelp are the helps of facts, by what the tables call them.
var factHelp = map[string]string{
	"names of the machine":       "Names of the machine.",
	"the operating system":       "Operating system of the machine.",
	"time of the sample":         "When the sample was taken, since 1970.",
	"name of the time zone":      "Time zone of the machine.",
	"physical memory":            "Physical memory of the machine.",
	"address space of a process": "Address space that a process can have.",
	"logical processors":         "Logical processors of the machine.",
	"limit of processes":         "How many processes there can be at once.",
	"start of the machine":       "When the machine was started, since 1970.",
}

// fact is the metric of a row of facts; false where its value is not known.
func (s *tabled) fact(r *tables.Row, machines []string) (told, bool) {
	what := r.Counters[0]
	f := told{Family: Family{
		Name: r.Metric, Type: tableType(r.Type), Additive: r.Type == 'I', Unit: r.Unit,
		Help: factHelp[what],
	}}
	c := Column{Form: Whole, Rows: unlabelled, Bits: []uint64{1}}

	several := len(machines) > 1
	known := !several
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

// factValue is a fact that is a number, 0 where it is not known.
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
		if f.Boot.IsZero() {
			return Float, 0
		}
		return Float, math.Float64bits(float64(f.Boot.UnixMilli()) / 1000)
	}
	return Whole, 0
}

// machineRows are rows of names, or of systems, a row a machine.
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
		slices.SortFunc(ls, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
		rows = append(rows, ls)
	}
	return NewRows(rows, nil)
}

// nameLabels are the names of a machine. Without facts they are what the samples call it.
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
