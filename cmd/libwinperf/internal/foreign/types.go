package foreign

import (
	"github.com/winperf/winperf/experiment/sensor"
)

// The structures of the interface. libwinperf.h declares the same ones in C: fields, order and sizes must
// not change.

// Request selects one counter of an object, or the whole object.
type Request struct {
	Object  uint32 // title index
	Counter uint32 // title index; 0 for the whole object
}

// Item is one value of the last cycle.
type Item struct {
	Object   uint32 // title index
	Counter  uint32 // title index
	Instance int32  // position among the object's instances; -1 if there is none
	Request  int32  // position of its request or sensor in Create; -1 for Global and Costly
	Type     int32  // type of Value: counter.Integer32, Integer64, Decimal or TextValue
	Status   int32  // counter.OK, or the reason for a missing value
	// Value is the number, a decimal as the bits of a float64. It is 0 for a text and for a missing
	// value.
	Value uint64
}

// Counter describes a counter of an object.
type Counter struct {
	Name, Help uint32 // title indices
	Type       uint32 // as in Windows
	Kind       int32  // behaviour of values: sensor.Gauge or CounterKind
	Value      int32  // type of values, as in Item.Type, or NoValue
	Scale      int32  // power of ten for graphs; never part of the value
}

// Instance has the properties of an instance besides its name.
type Instance struct {
	ParentObject   uint32 // title index of its parent's object; 0 without a parent
	ParentPosition int32  // position of its parent in that object; -1 without a parent
	Occurrence     int32  // position among instances of the same name, from 0
}

// Sensor describes a counter that can be measured.
type Sensor struct {
	Request
	Type      uint32 // of the counter, as in Windows
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

// Kind selects the content of a snapshot.
type Kind int32

// The kinds of snapshots.
const (
	Global Kind = 1 + iota // all objects that are not costly
	Costly                 // all costly objects
	Custom                 // a list of requests
)

// Flags change the names and values of a snapshot.
type Flags uint32

// The flags. Without flags, instances have the source's names, and a process or thread that began after
// the last complete cycle counts from zero.
const (
	ByPID        Flags = 1 << iota // processes and threads are named by their ids: 1234, 1234/5678
	ByNameAndPID                   // by name and ids: editor:1234
	PDHExact                       // a process or thread that began after the last complete cycle has no rate
)

// Access is the behaviour of an operation while another one runs on the same snapshot.
type Access bool

// The two forms of each operation.
const (
	Plain Access = false // is refused
	Safe  Access = true  // waits
)

// Setting is a setting that Set changes.
type Setting int32

// The settings, with the values of a new source. A snapshot inherits the settings of its source.
const (
	TimeoutMS Setting = 1 + iota // longest time of an operation: 30,000
	Retries                      // number of repeated samples in Decode: 3; at most 100
	Rest                         // 1: prepare waits until a sample has rates; 0: it does not
)
