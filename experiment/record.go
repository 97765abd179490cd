package experiment

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
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
	// Cost is what the measurement cost; Decode includes the time for cooking.
	Cost   measure.Cost
	Values []Value
	// Anomalies are those of the sample; of a region all since its begin, up to 256.
	Anomalies []winperf.Anomaly
	// Dropped is how many records the storage had to drop since the record before.
	Dropped uint64
	// Err is why there are no values; "" where there are.
	Err string
}

// EventInfo is what is known about the event itself.
type EventInfo struct {
	Name string
	// Source is where the event is from: "code", "interval", "lines", "process", "instances",
	// "threshold", "signal" or "child"; "experiment" for changes and summaries.
	Source string
	ID     uint64 // of the event in its process; a region's begin and end have one
	Parent uint64 // of the region around it; 0 for none
	// Trace and SpanID are those of OpenTelemetry, Task that of runtime/trace; empty where
	// the program has none.
	Trace, SpanID, Task string
	Time                time.Time     // of a region its begin
	Duration            time.Duration // of a region
	// Missed is how many events of an interval were due since the one before and could not be
	// emitted.
	Missed int
	Attrs  []Attr
}

// Attr is an attribute of an event. Value is a string, int64, uint64, float64,
// bool, time.Time or time.Duration.
type Attr struct {
	Key   string
	Value any
}

// Value is the reading of one sensor instance.
type Value struct {
	Path string // of the counter, with the instance
	// Source is the name of the source, of an experiment that measures several; "" where there is only one.
	Source string
	// Series tells the counter and the instance; nil in a record that was read back.
	Series *winperf.Series
	Value  counter.Value
	Unit   counter.Unit
	Status counter.Status
	// Age is how much older than the record's sample the values are that it was computed of.
	Age time.Duration
	// Difference is by how much the raw value grew in a region, and of an inverse timer the rest of the
	// region: \Processor\% Processor Time has that in which the processor was idle as its raw value.
	// HasDifference is false for counters that do not accumulate.
	Difference    uint64
	HasDifference bool
	// TicksPerSecond is how many of Difference are a second, where the raw value counts ticks of a
	// clock, as processor times do; else it is 0.
	TicksPerSecond int64
	Touched        winperf.AnomalySet
	// Raw are the operands, where the binding asks for them: of a region those of its
	// begin and end, else those of the sample.
	Raw []counter.Sample
	// Statistics are in the values of a Summary, which have no Value; else nil.
	Statistics *Statistics
}

// Statistics are those of the values of one series in the records of one event name.
type Statistics struct {
	// Count is how many values there are, Missing how many records had none. Without values
	// all numbers are NaN.
	Count, Missing            int
	Mean, Deviation, Min, Max float64
	// Low and High are the ends of the interval in which the true mean is with Confidence, 0.95
	// being 95 %; NaN of fewer than two values.
	Confidence, Low, High float64
	// Percentiles are those of Percents: of each the least value that is not less than so many
	// percent of the values.
	Percents, Percentiles []float64
	// Difference tells that the values are the differences of a counter that accumulates, over
	// regions; else they are the values as they are displayed.
	Difference bool
}
