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

// CatalogueOptions for [ReadCatalogue]. The zero options read all there is.
type CatalogueOptions struct {
	// Source is the source's name in sensor names; "" is that of SourceName.
	Source string
	// Language of names and help texts, as nametable.ParseLanguage takes it; ""
	// is the source's preferred one.
	Language string
	// Definitions leaves out instances, and spares the system to count them, as
	// far as the source can do that.
	Definitions bool
}

// Catalogue is all that a source can measure: groups of sensors with their
// instances, and clocks. It is a picture of one moment and does not change;
// instances come and go.
type Catalogue struct {
	Source string
	Groups []Group // in the order of the source
	Clocks []TimeSource
	// Damage is what was found wrong while the catalogue was read. What could be
	// read is there.
	Damage []error
}

// Group is an object: sensors that have their instances in common.
type Group struct {
	Source   string
	Name     string
	ObjectID winperf.ObjectID
	Help     string
	Multi    bool // has instances
	Costly   bool // is measured only when it is asked for by its name
	// Default is the position in Sensors of the sensor to show first, -1 for none.
	Default int
	Sensors []Sensor // without bases
	// Instances are there at this moment; nil, and Counted false, where only
	// definitions were read. A group without Multi has none.
	Instances []Instance
	Counted   bool

	clockFreq int64 // of the object's own clock; 0 = none
}

// Instance is one instance of a group.
type Instance struct {
	Name  string // the full name: parent/name where there is a parent
	Index int    // its number among those of the same name
}

// ReadCatalogue takes one sample of everything that the source has, the costly
// objects too, and describes it. The error is that of the source; damage that
// leaves something to show is in the Catalogue.
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

// Describe describes the objects of a decoded frame, which it does not
// hold. names are those of the sample; source is the name for sensor names, ""
// that of SourceName.
func Describe(f frame.Frame, names *nametable.Names, source string) *Catalogue {
	c := &Catalogue{Source: source}
	if f.IsZero() {
		return c // the source keeps no raw values
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

// NumSensors is the number of sensors of all groups.
func (c *Catalogue) NumSensors() int {
	n := 0
	for i := range c.Groups {
		n += len(c.Groups[i].Sensors)
	}
	return n
}

// NumReadings is the number of readings that measuring everything gives: a
// sensor of a group with instances counts once for each. Groups whose instances
// were not counted add nothing.
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

// Group returns the first group of a name, in either case. The error wraps
// winperf.ErrNoObject.
func (c *Catalogue) Group(name string) (*Group, error) {
	for i := range c.Groups {
		if strings.EqualFold(c.Groups[i].Name, name) {
			return &c.Groups[i], nil
		}
	}
	return nil, fmt.Errorf("source %s: group %q: %w", c.Source, name, winperf.ErrNoObject)
}

// Find returns the sensor that a name without wildcards names, in either case.
// The error wraps winperf.ErrNoMachine where the name is about another source,
// winperf.ErrNoObject, winperf.ErrNoCounter or winperf.ErrNoInstance: of an
// instance that was not there, or that is named or not named where it should be
// the other way round. A sensor with instances may be named without one.
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

// Names yields the name of everything that can be measured, with its sensor: for a sensor
// with instances one name for each instance, none where instances were not counted.
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
