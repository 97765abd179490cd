package sensor

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Sensor is one counter of a source as something that can be measured: what it
// is called and what its readings are. A sensor of an object with instances has
// one reading for each of them.
type Sensor struct {
	Name      Name // without an instance
	ObjectID  winperf.ObjectID
	CounterID winperf.CounterID
	Type      counter.Type
	// Kind is what the readings do, RawKind what the raw values do that they
	// are computed of: a rate is a gauge over a raw value that only grows.
	Kind, RawKind Kind
	ValueType     counter.ValueType
	Unit          counter.Unit
	Scale         int32  // power of ten for graphs; never part of the value
	Detail        uint32 // 100 novice, 200 advanced, 300 expert, 400 wizard
	Help          string
	Multi         bool // has instances
	Costly        bool // belongs to a costly object
}

// Kind tells how values of one instance follow each other.
type Kind uint8

// The kinds.
const (
	Gauge       Kind = iota // values rise and fall
	CounterKind             // values never fall, but for a restart or a wrap
)

// String returns the kind's word: "gauge" or "counter".
func (k Kind) String() string {
	if k == CounterKind {
		return "counter"
	}
	return "gauge"
}

// newSensor describes the counter at position k of an object.
func newSensor(g *Group, o frame.Object, k int, names *nametable.Names) Sensor {
	c := o.Counter(k)
	s := Sensor{
		Name:     Name{Source: g.Source, Group: g.Name, Sensor: names.Title(c.ID.Index)},
		ObjectID: g.ObjectID, CounterID: c.ID,
		Type: c.Type, ValueType: counter.ValueTypeOf(c.Type, c.Size), Unit: c.Type.Unit(),
		Scale: c.Scale, Detail: c.Detail, Help: names.Help(c.Help),
		Multi: g.Multi, Costly: g.Costly,
	}

	if c.Type.Cumulative() {
		s.RawKind = CounterKind
	}
	if c.Type == counter.ElapsedTime {
		s.Kind = CounterKind // its raw value stands still: when the thing started
	}
	return s
}

// instanceName returns the sensor's name with an instance: its full name and
// its number among those of the same name. A sensor without instances returns
// its own name.
func (s *Sensor) instanceName(full string, index int) Name {
	n := s.Name
	if s.Multi {
		n.Instance, n.Index, n.HasInstance = full, index, true
	}
	return n
}
