package experiment

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// Kind is the kind of a record.
type Kind uint8

// The kinds of records.
const (
	Point   Kind = iota // a point in time
	Span                // a region, from its begin to its end
	Change              // a change of the experiment: attached, paused, another interval
	Summary             // statistics of the records of one event name
)

// Record is the result of one event: the event, and the values of the sensors bound to it. The records of
// an experiment get the numbers 1, 2, 3 … when they are stored, so that a receiver can detect repeats and
// losses. A missing number is a record that was dropped later.
type Record struct {
	Experiment string
	// Session is the unique id of one run of the experiment.
	Session string
	Number  uint64
	Binding string
	Kind    Kind
	Event   EventInfo
	// Begun and Ended are the begin and the end of the event's sample; for a region, of the sample of its
	// end.
	Begun, Ended time.Time
	// Delay is the time from the event to the begin of its sample, Blocked the time that the emitter was
	// blocked.
	Delay, Blocked time.Duration
	// Cost of the measurement; Decode includes the time of the formulas.
	Cost   measure.Cost
	Values []Value
	// Anomalies of the sample; for a region, since its begin, up to 256.
	Anomalies []winperf.Anomaly
	// Dropped is the number of records dropped since the previous record.
	Dropped uint64
	// Err is the reason why the record has no values, or "".
	Err string
}

// EventInfo describes an event.
type EventInfo struct {
	Name string
	// Source is the origin of the event: "code", "interval", "lines", "process", "instances",
	// "threshold", "signal" or "child"; "experiment" for changes and summaries.
	Source string
	ID     uint64 // unique in the process; the begin and end of a region share one
	Parent uint64 // ID of the enclosing region; 0 for none
	// Trace and SpanID are ids of OpenTelemetry, Task of runtime/trace; empty if the program has none.
	Trace, SpanID, Task string
	Time                time.Time     // for a region its begin
	Duration            time.Duration // of a region
	// Missed is the number of events of an interval that were due since the previous event and were not
	// emitted.
	Missed int
	Attrs  []Attr
}

// Attr is an attribute of an event. Value is a string, int64, uint64, float64, bool, time.Time or
// time.Duration.
type Attr struct {
	Key   string
	Value any
}

// Value is the reading of one sensor instance.
type Value struct {
	Path string // of the counter, with the instance
	// Source is the name of the source if the experiment measures several, else "".
	Source string
	// Series describes the counter and the instance; nil in a parsed record.
	Series *winperf.Series
	Value  counter.Value
	Unit   counter.Unit
	Status counter.Status
	// Age is the age of the raw values relative to the record's sample.
	Age time.Duration
	// Difference is the increase of the raw value in a region. For an inverse timer, which counts idle
	// time (\Processor\% Processor Time), it is the length of the region minus the increase. HasDifference
	// is false for counters that do not accumulate.
	Difference    uint64
	HasDifference bool
	// TicksPerSecond converts Difference to seconds if the raw value counts ticks of a clock; else it is
	// 0.
	TicksPerSecond int64
	Touched        winperf.AnomalySet
	// Raw are the operands if Binding.Raw is set: of the sample, or of both samples of a region.
	Raw []counter.Sample
	// Statistics are set in a Summary, which has no Value; else nil.
	Statistics *Statistics
}

// Statistics of the values of one series in the records of one event name.
type Statistics struct {
	// Count is the number of values, Missing the number of records without a value. Without values all
	// numbers are NaN.
	Count, Missing            int
	Mean, Deviation, Min, Max float64
	// Low and High bound the true mean with the probability Confidence (0.95 is 95 %); NaN for fewer than
	// two values.
	Confidence, Low, High float64
	// Percentiles are the percentiles for Percents. The percentile for p is the smallest value that is not
	// below p percent of the values.
	Percents, Percentiles []float64
	// Difference reports that the values are the differences of a counter over regions, not displayed
	// values.
	Difference bool
}
