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

// Options say what an experiment is. Sources and Bindings are needed, all else has defaults.
type Options struct {
	// Name is the experiment's in its records; "" is "experiment".
	Name string
	// Sources are what can be measured. They stay open when the experiment ends.
	Sources []sensor.Origin
	// Bindings say which sensors belong to which events.
	Bindings []Binding
	// Events emit events beside the code of the program. Public ones are for all experiments of the
	// program, as events of code are, but for those that have a source of that name themselves; others
	// are for this experiment alone.
	Events []EventSource
	Public bool
	// Program is where events of code come from; nil is [Process], which the functions Event
	// and Region belong to.
	Program *Program
	// Links finds out which task and span of others an event of code belongs to; nil for none.
	// With OpenTelemetry it returns the ids of trace.SpanContextFromContext(ctx) as text.
	Links func(context.Context) (trace, span, task string)

	// Apart makes each binding sample its sources by itself. Otherwise a live source that
	// several bindings measure is put behind an object cache, so that an event that several
	// bindings wait for is sampled once: one cache for all experiments of the program. An
	// experiment with one binding that was the first to read a source goes on without. Sources
	// that are shared already may share less, and get one, too.
	Apart bool
	// Language and Names are those of [measure.Options].
	Language string
	Names    []measure.NameRule
	// Clock is what the experiment tells the time by; nil is the system's clock.
	Clock measure.Clock

	// Spool takes the records that memory has no room for, as the policy Spill has it.
	Spool Spool
	// Limit is how many records in memory are too many: when they become so many, OnLimit is
	// called, once until they have become fewer. 0 is half of the capacity of all bindings.
	Limit int
	// OnLimit tells delivery that it should hurry. It is called by whoever stored the record,
	// and must return at once.
	OnLimit func(records int)
	// Operands bounds the memory of open regions: it is how many raw values with their
	// operands, about 100 bytes each, all of them keep together. Beyond it the region that was
	// begun first is not measured. 0 means 500,000.
	Operands int
}

// Binding says which sensors are measured at which events. It is a measurement context of its
// own: every event gets a sample of its own, and values are computed since the sample before it.
type Binding struct {
	// Name is the binding's in records; "" is its first pattern.
	Name string
	// Events are patterns of names of events: * and ? are wildcards, case does not matter.
	Events []string
	// Paths and Sensors are what is measured. Where there are several sources, a path goes to those that it
	// is about, as sensor.Join has it, and a sensor to its own.
	Paths   []winperf.Path
	Sensors []sensor.Name
	// Cook chooses between readings of the formulas, as in [measure.Options].
	Cook counter.Options
	// Raw adds the operands to each value.
	Raw bool

	// Policy says what becomes of a record where as many records of the binding wait in memory as
	// there may be: Capacity, 0 means 10,000, with as many values together as Room says, 0 means
	// 500,000, which is some 100 MB. An anomaly, or 200 bytes of attributes, count as a value. With
	// the policies Wait and Spill the last record may go beyond Room.
	Policy         Policy
	Capacity, Room int
	// Timeout is how long a sample may take; 0 means 10 s.
	Timeout time.Duration
	// Aggregate, where it is not nil, asks for statistics of the records by event name.
	Aggregate *Aggregate
}

// Policy says what becomes of a record that memory has no room for.
type Policy uint8

// The policies.
const (
	DropOldest Policy = iota // the oldest record of the binding that nobody took is dropped
	DropNewest               // the record is dropped
	Wait                     // the binding waits until there is room, and the program for its events
	Spill                    // the oldest records go to the Spool
)

var policyWords = [...]string{"drop_oldest", "drop_newest", "wait", "spill"}

// String returns the policy's word: "drop_oldest", "drop_newest", "wait" or "spill".
func (p Policy) String() string {
	if int(p) < len(policyWords) {
		return policyWords[p]
	}
	return fmt.Sprintf("policy %d", uint8(p))
}

// ParsePolicy returns the policy that a word stands for. The error wraps ErrUnknown.
func ParsePolicy(word string) (Policy, error) {
	if i := slices.Index(policyWords[:], word); i >= 0 {
		return Policy(i), nil
	}
	return 0, unknown("policy", word, suggest.Closest(word, slices.Values(policyWords[:])))
}

// Aggregate says which statistics there are of the records of an event name. A record of the
// kind Summary has them when they are asked for and at the end of the experiment.
type Aggregate struct {
	// Percentiles between 0 and 100; nil means 50, 95 and 99.
	Percentiles []float64
	// Confidence is that of the interval of the mean; 0 means 0.95.
	Confidence float64
	// Only stores no records but the summaries.
	Only bool
	// Series bounds how many series, each a counter of an instance at an event name, are kept
	// statistics of; values of further ones are counted. 0 means 10,000.
	Series int
}

// Spool keeps records, first in, first out, for one session of an experiment. The experiment
// calls one method at a time.
type Spool interface {
	// Append adds records, whose numbers rise. It may keep the records, which nobody changes
	// any more. Without an error all were added, with one none.
	Append(records []*Record) error
	// Read returns up to max records with numbers above one, the oldest first, and keeps them;
	// none where there are none.
	Read(above uint64, max int) ([]*Record, error)
	// Forget removes the records up to a number, which were delivered.
	Forget(through uint64) error
}
