package sensor

import (
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Sensor describes one counter of a source: its name and its readings. A sensor of an object with
// instances has one reading per instance.
type Sensor struct {
	Name      Name // without an instance
	ObjectID  winperf.ObjectID
	CounterID winperf.CounterID
	Type      counter.Type
	// Kind describes the readings, RawKind the raw values from which they are computed: a rate is a
	// gauge, its raw value a counter.
	Kind, RawKind Kind
	ValueType     counter.ValueType
	Unit          counter.Unit
	Scale         int32  // power of ten for graphs; never part of the value
	Detail        uint32 // 100 novice, 200 advanced, 300 expert, 400 wizard
	Help          string
	Multi         bool // has instances
	Costly        bool // belongs to a costly object
}

// Kind describes how the values of one instance change.
type Kind uint8

// The kinds.
const (
	Gauge       Kind = iota // values rise and fall
	CounterKind             // values never fall, except at a restart or a wrap
)

// String returns "gauge" or "counter".
func (k Kind) String() string {
	if k == CounterKind {
		return "counter"
	}
	return "gauge"
}

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
		s.Kind = CounterKind // its raw value, the start time, is constant
	}
	return s
}

func (s *Sensor) instanceName(full string, index int) Name {
	n := s.Name
	if s.Multi {
		n.Instance, n.Index, n.HasInstance = full, index, true
	}
	return n
}
