package experiment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/measure"
)

// Options configure an experiment. Sources and Bindings are required, all else has defaults.
type Options struct {
	// Name is the experiment's name in records; "" is "experiment".
	Name string
	// Sources can be measured. They stay open when the experiment ends.
	Sources []sensor.Origin
	// Bindings connect events and sensors.
	Bindings []Binding
	// Events are event sources in addition to the program's code. Their events are for this experiment
	// only. If Public is set, they are for all experiments of the program, except for experiments with an
	// event source of the same name.
	Events []EventSource
	Public bool
	// Program emits the events of code; nil is [Process], which the functions Event and Region use.
	Program *Program
	// Links, if not nil, returns the ids that other systems have for the context of an event: for
	// OpenTelemetry the ids of trace.SpanContextFromContext(ctx) as text.
	Links func(context.Context) (trace, span, task string)

	// Apart disables the sharing of samples. Otherwise the bindings of all experiments of the program read
	// a live source through one object cache, so that an event of several bindings is sampled once. The
	// first experiment of a source does not use the cache if it has only one binding.
	Apart bool
	// Language and Names are the fields of [measure.Options].
	Language string
	Names    []measure.NameRule
	// Clock is the experiment's clock; nil is the system's clock.
	Clock measure.Clock

	// Spool stores the records that memory has no space for, with the policy Spill.
	Spool Spool
	// Limit is the number of records in memory at which OnLimit is called. 0 is half of the capacity of
	// all bindings.
	Limit int
	// OnLimit is called when the number of records in memory reaches Limit, and again only after it fell
	// to half of Limit. The goroutine that stored the record calls it, so it must return at once.
	OnLimit func(records int)
	// Operands limits the memory of open regions: the total number of raw values with operands, about 100
	// bytes each. At the limit the oldest open region loses its values. 0 means 500,000.
	Operands int
}

// Binding binds events to sensors. Each event gets a sample; the values of a point are computed since the
// binding's previous sample.
type Binding struct {
	// Name is the binding's name in records; "" is its first pattern.
	Name string
	// Events are patterns of event names: * and ? are wildcards, case is ignored.
	Events []string
	// Paths and Sensors are measured. With several sources, a path is measured in the sources that
	// sensor.Join selects for it, a sensor in its own source.
	Paths   []winperf.Path
	Sensors []sensor.Name
	// Cook selects variants of the formulas, as in [measure.Options].
	Cook counter.Options
	// Raw adds the operands to each value.
	Raw bool

	// Policy decides about records when memory is full. Capacity is the largest number of records in
	// memory, 0 means 10,000. MaxValues is the largest number of their values, 0 means 500,000 (about
	// 100 MB); an anomaly, or 200 bytes of attributes, count as one value. With the policies Wait and
	// Spill the last record may exceed MaxValues.
	Policy              Policy
	Capacity, MaxValues int
	// Timeout is the longest time of a sample; 0 means 10 s.
	Timeout time.Duration
	// Aggregate, if not nil, requests statistics of the records by event name.
	Aggregate *Aggregate
}

// Policy decides about a record that memory has no space for.
type Policy uint8

// The policies.
const (
	DropOldest Policy = iota // drop the oldest undelivered record of the binding
	DropNewest               // drop the new record
	Wait                     // wait for space; events and the program wait, too
	Spill                    // move the oldest records to the Spool
)

var policyWords = [...]string{"drop_oldest", "drop_newest", "wait", "spill"}

// String returns "drop_oldest", "drop_newest", "wait" or "spill".
func (p Policy) String() string {
	if int(p) < len(policyWords) {
		return policyWords[p]
	}
	return fmt.Sprintf("policy %d", uint8(p))
}

// ParsePolicy returns the policy of a word. The error wraps ErrUnknown.
func ParsePolicy(word string) (Policy, error) {
	if i := slices.Index(policyWords[:], word); i >= 0 {
		return Policy(i), nil
	}
	return 0, unknown("policy", word, suggest.Closest(word, slices.Values(policyWords[:])))
}

// Aggregate selects the statistics of the records of each event name. Records of the kind Summary contain
// them, on request and at the end of the experiment.
type Aggregate struct {
	// Percentiles between 0 and 100; nil means 50, 95 and 99.
	Percentiles []float64
	// Confidence of the interval of the mean; 0 means 0.95.
	Confidence float64
	// Only stores summaries instead of records.
	Only bool
	// Series limits the number of series (a counter of an instance at an event name) with statistics;
	// values of further series are counted. 0 means 10,000.
	Series int
}

// Spool stores records of one session of an experiment, first in, first out. The experiment calls one
// method at a time.
type Spool interface {
	// Append adds records in the order of their numbers: all of them, or none if it returns an error. It
	// may keep the records, which are not changed later.
	Append(records []*Record) error
	// Read returns up to max of the oldest records with numbers greater than above, or none, and keeps
	// them.
	Read(above uint64, max int) ([]*Record, error)
	// Forget removes the records up to a number, which were delivered.
	Forget(through uint64) error
}
