package experiment

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// Kind tells what a record is about.
type Kind uint8

// The kinds of records.
const (
	Point   Kind = iota // a point in time at which something happened
	Span                // a region, from its begin to its end
	Change              // the experiment itself was changed: attached, paused, another interval
	Summary             // statistics of the records of one event name
)

// Record is what one event gave: the event, and the values of the sensors that
// it is bound to. Records of an experiment are numbered from 1 without gaps in
// the order in which they were stored, so that a receiver can tell repeats and losses.
type Record struct {
	Experiment string
	// Session tells one run of the experiment from all others there ever were.
	Session string
	Number  uint64
	Binding string
	Kind    Kind
	Event   EventInfo
	// Begun and Ended are when the sample of the event was begun and was complete;
	// of a region that of its end.
	Begun, Ended time.Time
	// Delay is how long the event waited until its sample was begun; Blocked how long it
	// held up who emitted it.
	Delay, Blocked time.Duration
	Cost           Cost
	Values         []Value
	Anomalies      []winperf.Anomaly
	// Dropped is how many records the storage had to drop since the record before.
	Dropped uint64
	// Err is why there are no values; "" where there are.
	Err string
}

// EventInfo is what is known about the event itself.
type EventInfo struct {
	Name   string
	Source string // of the event: "code", "interval", "lines", "process", "threshold", "instances", "signal"
	ID     uint64 // of the event in its process; a region's begin and end have one
	Parent uint64 // of the region around it; 0 for none
	// Trace and SpanID are those of OpenTelemetry, Task that of runtime/trace; empty where
	// the program has none.
	Trace, SpanID string
	Time          time.Time     // of a region its begin
	Duration      time.Duration // of a region
	Attrs         []Attr
}

// Attr is an attribute of an event. Value is a string, int64, uint64, float64,
// bool, time.Time or time.Duration.
type Attr struct {
	Key   string
	Value any
}

// Value is the reading of one sensor instance.
type Value struct {
	Path   string // of the counter, with the instance
	Value  counter.Value
	Unit   counter.Unit
	Status counter.Status
	// Age is how much older than the record's sample the values are that it was computed of.
	Age time.Duration
	// Difference is by how much the raw value grew in a region; HasDifference is false for
	// counters that do not accumulate.
	Difference    uint64
	HasDifference bool
	Touched       winperf.AnomalySet
	// Raw are the operands, where the binding asks for them: of a region those of its
	// begin and end, else those of the sample.
	Raw []counter.Sample
}

// Cost is what the measurement itself cost.
type Cost struct {
	Prepare, Sample, Decode time.Duration
	Bytes                   int
}
