package foreign

import (
	"github.com/winperf/winperf/experiment/sensor"
)

// The structures of the interface. libwinperf.h declares the same ones in C: fields, order and
// sizes must stay as they are.

// Request wants one counter of an object, or the whole object.
type Request struct {
	Object  uint32 // title index
	Counter uint32 // title index; 0 is the whole object
}

// Item is one value of the last cycle.
type Item struct {
	Object   uint32 // title index
	Counter  uint32 // title index
	Instance int32  // position among the object's instances; -1 where there is no such instance
	Request  int32  // which request or sensor of Create it belongs to; -1 for Global and Costly
	Type     int32  // what Value is: counter.Integer32, Integer64, Decimal or TextValue
	Status   int32  // counter.OK, or why there is no value
	// Value is the number, a decimal as the bits of a float64; of a text 0. It is 0 without a value.
	Value uint64
}

// Counter describes a counter of an object.
type Counter struct {
	Name, Help uint32 // title indices
	Type       uint32 // as Windows has it
	Kind       int32  // what values do: sensor.Gauge or CounterKind
	Value      int32  // the type of values, as Item.Type has it; NoValue is one more
	Scale      int32  // power of ten for graphs; never part of the value
}

// Instance says of an instance what its name does not.
type Instance struct {
	ParentObject   uint32 // title index of its parent's object; 0 without a parent
	ParentPosition int32  // of the parent in its object; -1 without a parent
	Occurrence     int32  // which it is of those with the same name, from 0
}

// Sensor describes a counter as something to be measured.
type Sensor struct {
	Request
	Type      uint32 // of the counter, as Windows has it
	Kind      int32  // as Counter.Kind
	Value     int32  // as Counter.Value
	Instances int32  // 1 for an object with instances, else 0
	Costly    int32  // 1 for a costly object, else 0
}

func newSensor(s *sensor.Sensor) Sensor {
	made := Sensor{
		Request: Request{s.ObjectID.Index, s.CounterID.Index},
		Type:    uint32(s.Type), Kind: int32(s.Kind), Value: int32(s.ValueType),
	}
	if s.Multi {
		made.Instances = 1
	}
	if s.Costly {
		made.Costly = 1
	}
	return made
}

// Kind is what a snapshot holds.
type Kind int32

// The kinds of snapshots.
const (
	Global Kind = 1 + iota // all objects that are not costly
	Costly                 // all costly objects
	Custom                 // what a list of requests wants
)

// Flags change how a snapshot is made.
type Flags uint32

// The flags. Without one instances have the names that the source gives them, and a process or thread that
// began after the last complete cycle counts from zero.
const (
	ByPID        Flags = 1 << iota // processes and threads are named by their ids: 1234, 1234/5678
	ByNameAndPID                   // by name and ids: editor:1234
	PDHExact                       // a process or thread that began after the last complete cycle has no rate
)

// Access says what an operation on a snapshot does while another one is under way.
type Access bool

// The two forms of each operation.
const (
	Plain Access = false // is refused
	Safe  Access = true  // waits
)

// Setting is what Set changes.
type Setting int32

// The settings, with what a new source has. A snapshot begins with those of its source.
const (
	TimeoutMS Setting = 1 + iota // how long an operation may last: 30,000
	Retries                      // how often Decode samples again: 3; at most 100
	Rest                         // 1: prepare waits until a sample gives rates; 0: it does not
)
