package sensor

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
)

// CatalogueOptions are the options of [ReadCatalogue]. The zero value reads everything.
type CatalogueOptions struct {
	// Source is the source's name in sensor names; "" selects SourceName.
	Source string
	// Language of names and help texts, see nametable.ParseLanguage; "" selects the source's preferred
	// language.
	Language string
	// Definitions omits instances. Sources that support this do not count them.
	Definitions bool
}

// Catalogue lists everything that a source can measure: groups of sensors with their instances, and
// clocks. It is a picture of one moment and does not change.
type Catalogue struct {
	Source string
	Groups []Group
	Clocks []TimeSource
	// Damage lists the errors found while the catalogue was read. The rest of it is usable.
	Damage []error
}

// Group is an object: sensors that share their instances.
type Group struct {
	Source   string
	Name     string
	ObjectID winperf.ObjectID
	Help     string
	Multi    bool // has instances
	Costly   bool // measured only if requested by name
	// Default is the position in Sensors of the sensor to show first, or -1.
	Default int
	Sensors []Sensor
	// Instances are the instances at this moment. They are nil, and Counted is false, if only definitions
	// were read. A group without Multi has none.
	Instances []Instance
	Counted   bool

	clockFreq int64
}

// Instance is one instance of a group.
type Instance struct {
	Name  string // full name: parent/name if it has a parent
	Index int    // number among instances of the same name
}

// ReadCatalogue takes one sample of all objects of the source, including the costly ones, and describes
// it. The error is the source's. Damage that leaves a usable catalogue is in the Catalogue.
func ReadCatalogue(ctx context.Context, src winperf.Source, opt CatalogueOptions) (*Catalogue, error) {
	sel := winperf.Selection{Global: true, Costly: true, Metadata: opt.Definitions}
	m := measure.New(src, sel, measure.Options{FramesOnly: true, Language: opt.Language})
	defer m.Close()
	cycle, err := m.Cycle(ctx)
	if err != nil {
		return nil, err
	}
	c := Describe(cycle.Frame, cycle.Names, opt.Source)
	c.Damage = slices.Clone(cycle.Damage)
	return c, nil
}

// Describe returns the catalogue of a decoded frame. The catalogue does not refer to the frame. names
// must belong to the sample; source is the name for sensor names, "" selects SourceName.
func Describe(f frame.Frame, names *nametable.Names, source string) *Catalogue {
	c := &Catalogue{Source: source}
	if f.IsZero() {
		return c
	}

	schema := f.Schema()
	if c.Source == "" {
		c.Source = SourceName(schema)
	}

	c.Groups = make([]Group, 0, f.NumObjects())
	for o := range f.Objects() {
		g := newGroup(o, names, c.Source)
		g.Costly = schema != nil && slices.Contains(schema.Costly, g.ObjectID.Index)
		g.addSensors(o, names)
		c.Groups = append(c.Groups, g)
	}
	c.Clocks = timeSources(c.Source, f, c.Groups)
	return c
}

func newGroup(o frame.Object, names *nametable.Names, source string) Group {
	g := Group{
		Source: source, Name: names.Title(o.ID().Index), ObjectID: o.ID(), Help: names.Help(o.Help()),
		Multi: !o.Single(), Default: -1, Counted: !o.Metadata(), clockFreq: max(o.Clocks().ObjectFreq, 0),
	}
	if g.Multi && g.Counted {
		labels := o.Labels()
		g.Instances = make([]Instance, labels.Len())
		for i := range g.Instances {
			g.Instances[i] = Instance{labels.Full(i), labels.Occurrence(i)}
		}
	}
	return g
}

func (g *Group) addSensors(o frame.Object, names *nametable.Names) {
	for k := range o.NumCounters() {
		if o.Counter(k).Type.IsBase() {
			continue
		}
		if k == o.Default() {
			g.Default = len(g.Sensors)
		}
		g.Sensors = append(g.Sensors, newSensor(g, o, k, names))
	}
}

// NumSensors returns the number of sensors in all groups.
func (c *Catalogue) NumSensors() int {
	n := 0
	for i := range c.Groups {
		n += len(c.Groups[i].Sensors)
	}
	return n
}

// NumReadings returns the number of readings that one sample of everything has. A sensor of a group with
// instances counts once per instance, or not at all if the instances were not counted.
func (c *Catalogue) NumReadings() int {
	n := 0
	for i := range c.Groups {
		switch g := &c.Groups[i]; {
		case g.Multi:
			n += len(g.Sensors) * len(g.Instances)
		default:
			n += len(g.Sensors)
		}
	}
	return n
}

// Group returns the first group of a name, ignoring case. The error wraps winperf.ErrNoObject.
func (c *Catalogue) Group(name string) (*Group, error) {
	for i := range c.Groups {
		if strings.EqualFold(c.Groups[i].Name, name) {
			return &c.Groups[i], nil
		}
	}
	return nil, fmt.Errorf("source %s: group %q: %w", c.Source, name, winperf.ErrNoObject)
}

// Find returns the sensor of a name without wildcards, ignoring case. A sensor with instances may be
// named without an instance. The error wraps winperf.ErrNoMachine if the name belongs to another source,
// winperf.ErrNoObject, winperf.ErrNoCounter, or winperf.ErrNoInstance if the instance does not exist or
// the group has no instances.
func (c *Catalogue) Find(n Name) (*Sensor, error) {
	if !strings.EqualFold(n.Source, c.Source) {
		return nil, fmt.Errorf("sensor %s: %w: the source is %s", n, winperf.ErrNoMachine, c.Source)
	}
	g, err := c.Group(n.Group)
	if err != nil {
		return nil, err
	}

	i := slices.IndexFunc(g.Sensors, func(s Sensor) bool {
		return strings.EqualFold(s.Name.Sensor, n.Sensor)
	})
	switch {
	case i < 0:
		return nil, fmt.Errorf("sensor %s: %w", n, winperf.ErrNoCounter)
	case n.HasInstance && !g.Multi:
		return nil, fmt.Errorf("sensor %s: %w: %s has no instances", n, winperf.ErrNoInstance, g.Name)
	case n.HasInstance && g.Counted && !g.has(n):
		return nil, fmt.Errorf("sensor %s: %w", n, winperf.ErrNoInstance)
	}
	return &g.Sensors[i], nil
}

func (g *Group) has(n Name) bool {
	return slices.ContainsFunc(g.Instances, func(in Instance) bool {
		return in.Index == n.Index && strings.EqualFold(in.Name, n.Instance)
	})
}

// Names yields the name of each sensor with the sensor. A sensor with instances has one name per
// instance, and none if the instances were not counted.
func (c *Catalogue) Names() iter.Seq2[Name, *Sensor] {
	return func(yield func(Name, *Sensor) bool) {
		for i := range c.Groups {
			for k := range c.Groups[i].Sensors {
				if !c.Groups[i].names(&c.Groups[i].Sensors[k], yield) {
					return
				}
			}
		}
	}
}

func (g *Group) names(s *Sensor, yield func(Name, *Sensor) bool) bool {
	if !g.Multi {
		return yield(s.Name, s)
	}
	for _, in := range g.Instances {
		if !yield(s.instanceName(in.Name, in.Index), s) {
			return false
		}
	}
	return true
}
