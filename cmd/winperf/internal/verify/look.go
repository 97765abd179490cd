package verify

import (
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/nametable"
)

// Look is the answer of a reader at one moment.
type Look struct {
	Reader string
	// Object and Pass are the object that was asked for, and how often it was asked for before.
	Object   string
	Pass     int
	Time     time.Time
	Counters map[Name]*Counter

	sample *winperf.Sample // of a driver
	text   string          // of a program
}

// Name names a counter.
type Name struct{ Object, Counter string }

func (n Name) String() string { return `\` + n.Object + `\` + n.Counter }

// Counter is a counter of a look with its instances. It has raw values in Samples or displayed ones in
// Values.
type Counter struct {
	Type counter.Type // 0 is unknown
	// Names are the instances as in paths; "" is the instance of an object without instances.
	Names   []string
	Samples []counter.Sample
	Values  []float64
	// Tolerance is what rounding may change, in the unit of the values.
	Tolerance float64
	// Timeless reports that Samples have raw values only: no base and no clocks.
	Timeless bool

	formula counter.Formula
	bytes   int            // of the raw value
	ids     []uint64       // of processes and threads, by instance
	places  map[string]int // of Names, made when it is needed
}

// isRaw reports whether the counter has raw values.
func (c *Counter) isRaw() bool { return c != nil && len(c.Samples) > 0 }

// instance returns the position of an instance, or -1. It is probably at hint.
func (c *Counter) instance(name string, hint int) int {
	if hint < len(c.Names) && c.Names[hint] == name {
		return hint
	}
	if c.places == nil {
		c.places = make(map[string]int, len(c.Names))
		for i, n := range c.Names {
			c.places[n] = i
		}
	}
	if i, found := c.places[name]; found {
		return i
	}
	return -1
}

// add adds an instance with a raw value that a program showed.
func (l *Look) add(object, instance, name string, raw uint64, tolerance float64) {
	key := Name{object, name}
	c := l.Counters[key]
	if c == nil {
		c = &Counter{Tolerance: tolerance, Timeless: true}
		l.Counters[key] = c
	}
	c.Names = append(c.Names, instance)
	c.Samples = append(c.Samples, counter.Sample{Value: raw})
}

// fill adds the counters of a frame. Names are in the preferred language of the source, which is the
// language of the user for all drivers.
func (l *Look) fill(f frame.Frame, names *nametable.Names) {
	for o := range f.Objects() {
		if !o.Metadata() {
			l.fillObject(o, names)
		}
	}
	for v := range f.Values() {
		l.fillValues(v)
	}
}

func (l *Look) fillObject(o frame.Object, names *nametable.Names) {
	instances := instanceNames(o)
	ids := instanceIDs(o)
	object := names.Title(o.ID().Index)
	for k := range o.NumCounters() {
		def := o.Counter(k)
		key := Name{object, names.Title(def.ID.Index)}
		if def.Type.IsBase() || def.Type.IsText() || def.Type.Samples() == 0 || l.Counters[key] != nil {
			continue
		}

		c := &Counter{Type: def.Type, formula: o.Formula(k, counter.Options{}), bytes: def.Size}
		for i := range o.Len() {
			s, status := o.Operands(i, k)
			if status != counter.OK {
				continue
			}
			c.Names, c.Samples = append(c.Names, instances[i]), append(c.Samples, s)
			if ids != nil {
				c.ids = append(c.ids, ids[i])
			}
		}
		l.Counters[key] = c
	}
}

func instanceNames(o frame.Object) []string {
	names := make([]string, o.Len())
	for i := range names {
		if !o.Single() {
			in := o.Instance(i)
			names[i] = winperf.Path{Instance: in.Full(), Index: in.Occurrence()}.InstanceText()
		}
	}
	return names
}

// instanceIDs returns the process or thread ids of the instances, or nil: names of processes are reused.
func instanceIDs(o frame.Object) []uint64 {
	for _, title := range [...]uint32{titles.IDThread, titles.IDProcess} {
		if k, ok := o.FindCounter(winperf.CounterID{Index: title}); ok {
			ids := make([]uint64, o.Len())
			o.ReadRaw(ids, k, 0)
			return ids
		}
	}
	return nil
}

// fillValues adds displayed values.
func (l *Look) fillValues(v *frame.Values) {
	for n, s := range v.AllSeries() {
		var column winperf.Column
		v.Column(&column, n, n+1)
		value, ok := column.Value(0).Float64()
		if !ok {
			continue
		}

		key := Name{s.Path.Object, s.Path.Counter}
		c := l.Counters[key]
		if c == nil {
			c = &Counter{Type: s.Type}
			l.Counters[key] = c
		}
		c.Names, c.Values = append(c.Names, s.Path.InstanceText()), append(c.Values, value)
	}
}

// addSiblings adds the instances that share their name with others, such as (svchost) and (svchost#1).
func (c *Counter) addSiblings(shared map[string]bool) {
	for _, n := range c.Names {
		if first, number, found := cutLast(n, "#"); found && strings.Trim(number, "0123456789") == "" {
			shared[n], shared[first] = true, true
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
