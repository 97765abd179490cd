package metrics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// tabled is a scheme of another program's names, defined by tables.
type tabled struct {
	blocks   []tables.Block
	byObject map[string][]int // positions of blocks by object name in lower case
	facts    Facts
	totals   bool // Options.Totals: omit only the totals that the other program omits
	filters  []LabelFilter
	hosted   bool                   // there are Options.HostValues
	user     func(id uint64) string // Options.UserName
	owner    func(id uint64) string // Options.Owner
	command  func(id uint64) string // Options.CommandLine
	foreign  func(machine string) string
}

func newWindowsExporter(opt *Options) (*tabled, error) {
	now, err := tables.WindowsExporter()
	if err != nil {
		return nil, err
	}
	if !opt.NoLegacy {
		legacy, err := tables.Legacy()
		if err != nil {
			return nil, err
		}
		now.Blocks = append(now.Blocks, legacy.Blocks...)
	}

	now.Blocks = slices.DeleteFunc(now.Blocks, func(b tables.Block) bool {
		return !enabled(opt.Collectors, b.Collector)
	})
	return newTabled(now, nil, opt)
}

func newOTel(opt *Options) (*tabled, error) {
	t, err := tables.OTel()
	return newTabled(t, err, opt)
}

func newTabled(t *tables.Table, err error, opt *Options) (*tabled, error) {
	if err != nil {
		return nil, err
	}

	s := &tabled{
		blocks: t.Blocks, byObject: map[string][]int{},
		facts: opt.Facts, totals: opt.Totals, filters: opt.Filters, foreign: opt.foreign,
		hosted: opt.HostValues != nil, user: opt.UserName, owner: opt.Owner, command: opt.CommandLine,
	}
	for i := range s.blocks {
		for _, o := range s.blocks[i].Objects {
			name := strings.ToLower(o.Name)
			s.byObject[name] = append(s.byObject[name], i)
		}
	}
	return s, nil
}

func (s *tabled) templates(o *layout) (out []template) {
	name, sql := sqlObject(o.Name)
	for _, i := range s.byObject[strings.ToLower(name)] {
		b := &s.blocks[i]
		of := slices.IndexFunc(b.Objects, func(o tables.Object) bool { return strings.EqualFold(o.Name, name) })
		out = s.block(out, o, b, of, sql)
	}
	return out
}

// block adds the metrics of a block. Rows with the same metric are columns of one template.
func (s *tabled) block(out []template, o *layout, b *tables.Block, of int, sql string) []template {
	rows := s.rows(o, b, sql)
	first := len(out)
	for i := range b.Rows {
		r := &b.Rows[i]
		c, ok := s.column(o, b, r)
		if !ok {
			continue
		}
		c.Extra = extraLabels(b.Objects[of].Labels, r.Labels)

		at := slices.IndexFunc(out[first:], func(t template) bool { return t.Name == r.Metric })
		if at < 0 {
			at = len(out) - first
			out = append(out, template{
				Name: r.Metric, Type: tableType(r.Type), Additive: r.Type == 'I', Unit: r.Unit,
				Help: tableHelp(o, b, r.Metric), Rows: rows, Shared: true, Unless: before(b.Objects, of),
			})
		}
		out[first+at].Columns = append(out[first+at].Columns, c)
	}
	return out
}

// before returns the objects that an object is a substitute for.
func before(objects []tables.Object, of int) (names []string) {
	if !objects[of].Else {
		return nil
	}
	for _, o := range objects[:of] {
		names = append(names, o.Name)
	}
	return names
}

// column returns the column of a table's row; false if the object lacks a counter.
func (s *tabled) column(o *layout, b *tables.Block, r *tables.Row) (c columnTemplate, ok bool) {
	for _, name := range r.Counters {
		k := o.find(name)
		if k < 0 && r.Else != "" {
			k = o.find(r.Else)
		}
		if k < 0 || o.Counters[k].Type.IsText() {
			return c, false
		}
		c.Counters = append(c.Counters, k)
	}

	if b.One {
		c.Value, ok = s.summed(o, r, c.Counters)
		return c, ok
	}
	c.Value, c.Counters, ok = s.value(o, r, c.Counters)
	if len(c.Counters) == 0 {
		c.Counters = idCounters(o, b)
	}
	return c, ok
}

// idCounters returns the counter that identifies instances of a block. A metric without counters is
// selected like it.
func idCounters(o *layout, b *tables.Block) (ks []int) {
	for _, l := range b.Labels {
		for _, name := range l.Counters {
			if k := o.find(name); k >= 0 {
				return []int{k}
			}
		}
	}
	return nil
}

func tableType(letter byte) Type {
	if letter == 'C' {
		return Counter
	}
	return Gauge
}

func extraLabels(object, row []tables.Pair) (ls []Label) {
	for _, p := range slices.Concat(object, row) {
		ls = append(ls, Label{p.Name, p.Value})
	}
	sortLabels(ls)
	return ls
}

func tableHelp(o *layout, b *tables.Block, metric string) string {
	var counters []string
	for i := range b.Rows {
		r := &b.Rows[i]
		name := strings.Join(r.Counters, " + ")
		if r.Else != "" {
			name += " or " + r.Else
		}
		if r.Metric == metric && name != "" && !slices.Contains(counters, name) {
			counters = append(counters, name)
		}
	}

	const most = 3
	if n := len(counters); n > most {
		counters = append(counters[:most], fmt.Sprintf("%d others", n-most))
	}
	instance := "(*)"
	if o.Object.Single() {
		instance = ""
	}
	if len(counters) == 0 {
		return `\` + o.Name + instance
	}
	return `\` + o.Name + instance + `\` + strings.Join(counters, ", ")
}

// sqlObject returns an object's name in the default instance of SQL Server, and its instance:
// MSSQL$NAME:Locks is SQLServer:Locks.
func sqlObject(name string) (object, instance string) {
	const unnamed, named = "SQLServer:", "MSSQL$"
	if strings.HasPrefix(name, unnamed) {
		return name, "MSSQLSERVER"
	}

	rest, ok := strings.CutPrefix(name, named)
	instance, object, colon := strings.Cut(rest, ":")
	if !ok || !colon {
		return name, ""
	}
	return unnamed + object, instance
}

// sortLabels sorts a few labels by name.
func sortLabels(ls []Label) {
	for i := range ls {
		for ; i > 0 && ls[i].Name < ls[i-1].Name; i-- {
			ls[i], ls[i-1] = ls[i-1], ls[i]
		}
	}
}
