package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// Generic is an object in the configuration of windows_exporter's collector performancecounter:
// selected counters with user-defined names and labels.
type Generic struct {
	// Name is the unique name of the entry.
	Name string `yaml:"name" json:"name"`
	// Object is the English name of the object.
	Object string `yaml:"object" json:"object"`
	// Type is "raw" (default) for raw values, or "formatted" for displayed values. Displayed rates
	// are missing in the first sample.
	Type string `yaml:"type" json:"type"`
	// Instances are names, or patterns with * and ?. nil selects all instances except totals. Only
	// a name without wildcards selects a total.
	Instances []string `yaml:"instances" json:"instances"`
	// InstanceLabel is the name of the instance's label; default "instance".
	InstanceLabel string           `yaml:"instance_label" json:"instance_label"`
	Counters      []GenericCounter `yaml:"counters" json:"counters"`
}

// GenericCounter is a counter of a Generic.
type GenericCounter struct {
	// Name is the English name of the counter.
	Name string `yaml:"name" json:"name"`
	// Metric is the name of the metric; by default it is made from the names of object and counter.
	Metric string `yaml:"metric" json:"metric"`
	// Type is "counter" or "gauge"; the default depends on the counter type.
	Type string `yaml:"type" json:"type"`
	// Labels are added to all values.
	Labels map[string]string `yaml:"labels" json:"labels"`
}

// ErrGeneric is wrapped by the errors about a Generic.
var ErrGeneric = errors.New("wrong performancecounter object")

var (
	genericMetric = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
	genericLabel  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// Check returns all errors in the object itself, joined, or nil. CheckGenerics also compares
// objects with each other.
func (g *Generic) Check() error { return errors.Join(g.problems()...) }

func (g *Generic) problems() (errs []error) {
	wrong := func(format string, args ...any) { errs = append(errs, g.wrong(format, args...)) }
	if g.Name == "" {
		wrong("name is missing")
	}
	if g.Object == "" {
		wrong("object is missing")
	}
	checkWord(wrong, "type", g.Type, "raw", "formatted")
	if !genericLabel.MatchString(g.label()) || strings.HasPrefix(g.label(), "__") {
		wrong("instance_label %q is not a valid label name", g.InstanceLabel)
	}
	if len(g.Counters) == 0 {
		wrong("counters are missing")
	}
	for i := range g.Counters {
		g.Counters[i].check(wrong, g)
	}
	return errs
}

func (g *Generic) wrong(format string, args ...any) error {
	return fmt.Errorf("%w %q: %w", ErrGeneric, g.Name, fmt.Errorf(format, args...))
}

func (c *GenericCounter) check(wrong func(string, ...any), g *Generic) {
	if c.Name == "" {
		wrong("a counter has no name")
	}
	checkWord(wrong, "counter "+c.Name+": type", c.Type, "counter", "gauge")
	switch name := c.metric(g.Object); {
	case !genericMetric.MatchString(name):
		wrong("counter %s: %q is not a valid metric name", c.Name, name)
	case strings.HasPrefix(name, "winperf_"):
		wrong("counter %s: metric %s: names that begin with winperf_ are reserved", c.Name, name)
	}
	for _, l := range slices.Sorted(maps.Keys(c.Labels)) {
		if !genericLabel.MatchString(l) || strings.HasPrefix(l, "__") || l == g.label() {
			wrong("counter %s: %q is not a valid label name, or is the instance label", c.Name, l)
		}
	}
}

// checkWord reports a word that is neither empty nor one of two words.
func checkWord(wrong func(string, ...any), what, word string, words ...string) {
	if word == "" || slices.Contains(words, word) {
		return
	}
	hint := ""
	if near := suggest.Closest(word, slices.Values(words)); near != "" {
		hint = "; did you mean " + near + "?"
	}
	wrong("%s must be %s or %s, not %q%s", what, words[0], words[1], word, hint)
}

// CheckGenerics returns the errors of each object of a configuration, in their order; the error of
// a correct object is nil. In addition to Check it finds duplicate names and metrics and, if names
// contains WindowsExporter, metrics of other collectors of windows_exporter.
func CheckGenerics(all []Generic, names []Scheme) []error {
	seen := genericNames{objects: map[string]bool{}, metrics: map[string]string{}}
	var err error
	if slices.Contains(names, WindowsExporter) {
		seen.taken, err = tableNames()
	}

	var errs []error
	for i := range all {
		found := append(all[i].problems(), seen.problems(&all[i])...)
		errs = append(errs, errors.Join(append(found, err)...))
	}
	return errs
}

type genericNames struct {
	objects map[string]bool
	metrics map[string]string // the object of a metric with labels
	taken   map[string]bool   // metrics of other collectors
}

// problems returns the names of an object that are already used.
func (s *genericNames) problems(g *Generic) (errs []error) {
	wrong := func(format string, args ...any) { errs = append(errs, g.wrong(format, args...)) }
	if s.objects[g.Name] && g.Name != "" {
		wrong("the name is not unique")
	}
	s.objects[g.Name] = true

	for c := range g.Counters {
		name := g.Counters[c].metric(g.Object)
		if s.taken[name] {
			wrong("metric %s belongs to another collector of windows_exporter", name)
		}
		key := name + g.Counters[c].labelled()
		if first, twice := s.metrics[key]; twice {
			wrong("metric %s with the same labels is also in %q", name, first)
		}
		s.metrics[key] = g.Name
	}
	return errs
}

func (c *GenericCounter) labelled() (text string) {
	for _, l := range slices.Sorted(maps.Keys(c.Labels)) {
		if value := c.Labels[l]; value != "" {
			text += fmt.Sprintf(" %s=%q", l, value)
		}
	}
	return text
}

func tableNames() (map[string]bool, error) {
	names := map[string]bool{}
	for _, read := range []func() (*tables.Table, error){tables.WindowsExporter, tables.Legacy} {
		t, err := read()
		if err != nil {
			return nil, err
		}
		for _, b := range t.Blocks {
			for _, r := range b.Rows {
				names[r.Metric] = true
			}
		}
	}
	return names, nil
}

func (g *Generic) label() string { return cmp.Or(g.InstanceLabel, "instance") }

func (c *GenericCounter) metric(object string) string {
	return cmp.Or(c.Metric, "windows_performancecounter_"+genericWord(object)+"_"+genericWord(c.Name))
}

// genericWord converts a name like the collector: lower case, percent for %, no parentheses, and _
// for each other character that is invalid in metric names.
func genericWord(s string) string {
	s = strings.NewReplacer("%", "percent", "(", "", ")", "").Replace(strings.ToLower(s))
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
}

// Paths returns the paths of all counters of g for all instances, for a selection.
func (g *Generic) Paths() (paths []winperf.Path) {
	for _, c := range g.Counters {
		paths = append(paths, winperf.Path{Object: g.Object, HasInstance: true, Instance: "*", Counter: c.Name})
	}
	return paths
}

type generics struct{ all []Generic }

func (s generics) templates(o *layout) (out []template) {
	for i := range s.all {
		g := &s.all[i]
		if !strings.EqualFold(g.Object, o.Name) {
			continue
		}
		rows := g.rows(o)
		for c := range g.Counters {
			if t, ok := g.template(o, &g.Counters[c], rows); ok {
				out = append(out, t)
			}
		}
	}
	return out
}

// template returns the metric of a counter; false if the object lacks it.
func (g *Generic) template(o *layout, c *GenericCounter, rows *labelling) (t template, ok bool) {
	k := o.find(c.Name)
	if k < 0 || o.Counters[k].Type.IsText() || o.Counters[k].Size == 0 {
		return t, false
	}

	d := &o.Counters[k]
	v, kind := rawAsIs(d, k), genericType(d.Type)
	if g.Type == "formatted" {
		v, kind = formatted(k), Gauge
	}
	switch c.Type {
	case "counter":
		kind = Counter
	case "gauge":
		kind = Gauge
	}

	var extra []Label
	for _, name := range slices.Sorted(maps.Keys(c.Labels)) {
		extra = append(extra, Label{name, c.Labels[name]})
	}
	return template{
		Name: c.metric(g.Object), Type: kind, Help: `\` + o.Name + `(*)\` + d.Name, Rows: rows, Shared: true,
		Columns: []columnTemplate{{Extra: extra, Counters: []int{k}, Value: v}},
	}, true
}

func (g *Generic) rows(o *layout) *labelling {
	if o.Object.Single() {
		if !o.Machine {
			return nil
		}
		return &labelling{Labels: func(_ frame.Object, _ int, ls []Label) ([]Label, bool) { return ls, true }}
	}

	var patterns []winperf.Pattern
	for _, text := range g.Instances {
		patterns = append(patterns, winperf.CompilePattern(text))
	}
	return &labelling{Totals: true, Labels: func(o frame.Object, i int, ls []Label) ([]Label, bool) {
		name := numberedName(o, i, o.Labels().Full(i))
		total := frame.IsTotal(o.Labels().Name(i))
		selected := len(patterns) == 0 && !total || slices.ContainsFunc(patterns, func(p winperf.Pattern) bool {
			return p.Match(name) && !(total && p.HasWildcard())
		})
		return append(ls, Label{g.label(), name}), selected
	}}
}

// genericType returns the collector's metric type for a counter type.
func genericType(t counter.Type) Type {
	switch t {
	case counter.CounterCounter, counter.BulkCount, counter.Delta, counter.LargeDelta, counter.SampleCounter,
		counter.Timer100NSec, counter.TimerInv100NSec, counter.Precision100NSTimer:
		return Counter
	}
	return Gauge
}

// rawAsIs is the raw value, with times of two types in seconds.
func rawAsIs(d *definition, k int) value {
	switch d.Type {
	case counter.Timer100NSec, counter.Precision100NSTimer:
		return ticks(k, 1)
	case counter.ElapsedTime:
		return elapsed(k)
	case counter.DoubleRaw:
		return double(k)
	}
	return whole(k)
}

// formatted is the displayed value of the counter at position k.
func formatted(k int) value {
	return func(in *inputs, out *Column) {
		out.Form = Float
		column := in.state.pair.Column(k)
		if column.Kind != counter.KindFloat {
			out.Form = Whole
		}
		for i := range out.Bits {
			at := in.instance(i)
			if at >= len(column.Status) || column.Status[at] != counter.OK {
				in.setAbsent(out, i)
				continue
			}
			out.Bits[i] = column.Bits[at]
		}
	}
}
