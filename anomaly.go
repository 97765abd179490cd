package winperf

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Anomaly reports an unusual event in a measurement that is not an error: the readings remain
// usable. Sources, caches and package measure return anomalies as data and log nothing.
type Anomaly struct {
	Kind AnomalyKind
	// Time is the time of the sample in UTC, or the time of discovery if there is no sample.
	Time time.Time
	// Source is the source's name; "" if the measurement has only one.
	Source string
	// Object is the affected object; the zero ObjectID means the whole sample or source.
	Object ObjectID
	// ObjectName is the object's name in the language of the measurement.
	ObjectName string
	// Instances are the affected instances, spelled as in paths.
	Instances []string
	// Detail describes the event, for people.
	Detail string
	// Action describes the reaction, for people; "" for none.
	Action string
	// Err is the cause, or nil.
	Err error
}

// String returns the anomaly as one line without its time:
//
//	instances_came: Process: 2 instances: editor, shell#1
func (a Anomaly) String() string {
	text := []string{a.Kind.String()}
	for _, part := range []string{a.Source, a.ObjectName, a.Detail, someNames(a.Instances)} {
		if part != "" {
			text = append(text, part)
		}
	}

	if a.Err != nil {
		text = append(text, a.Err.Error())
	}
	line := strings.Join(text, ": ")
	if a.Action != "" {
		line += " (" + a.Action + ")"
	}
	return line
}

// someNames lists at most 8 names and the number of all.
func someNames(names []string) string {
	const few = 8
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	case n > few:
		return fmt.Sprintf("%d instances: %s, ...", n, strings.Join(names[:few], ", "))
	default:
		return fmt.Sprintf("%d instances: %s", n, strings.Join(names, ", "))
	}
}

// AnomalyKind is a kind of unusual event.
type AnomalyKind uint8

// The kinds. Their words (see AnomalyKind.String) do not change, so programs may compare them.
const (
	BufferGrew       AnomalyKind = iota // memory had to be allocated while a sample was taken
	InstancesAdded                      // instances are new in this sample
	InstancesRemoved                    // instances of the previous sample are gone
	SchemaChanged                       // an object appeared or disappeared, or counters or name tables changed
	ClockBack                           // a clock of the sample went back
	CounterReset                        // a raw value that can only grow became smaller
	CounterWrapped                      // a raw value of 4 bytes became smaller and is treated as an overflow
	SourceSlow                          // the source took too long for the sample
	SampleLate                          // the sample was taken after its due time
	SampleMissed                        // samples due before this one were not taken
	ProviderFailed                      // a provider failed
	SourceFailed                        // a source returned no sample or an unreadable sample
	ClockSet                            // the system time was set between two samples
	InstancesRenamed                    // instances have other names or numbers than in the previous sample
	PathUnmatched                       // a path matches nothing yet; reported once, not in each sample
	InstanceBegan                       // an instance began after the previous sample; its values start at zero
	numAnomalies
)

var anomalyWords = [numAnomalies]string{
	BufferGrew:       "buffer_grew",
	InstancesAdded:   "instances_came",
	InstancesRemoved: "instances_left",
	SchemaChanged:    "schema_changed",
	ClockBack:        "clock_back",
	CounterReset:     "counter_reset",
	CounterWrapped:   "counter_wrapped",
	SourceSlow:       "source_slow",
	SampleLate:       "sample_late",
	SampleMissed:     "sample_missed",
	ProviderFailed:   "provider_failed",
	SourceFailed:     "source_failed",
	ClockSet:         "clock_set",

	InstancesRenamed: "instances_renamed",
	PathUnmatched:    "path_unmatched",
	InstanceBegan:    "instance_began",
}

// String returns the word of the kind, such as "instances_came".
func (k AnomalyKind) String() string {
	if k < numAnomalies {
		return anomalyWords[k]
	}
	return fmt.Sprintf("anomaly_%d", uint8(k))
}

// ParseAnomalyKind returns the kind of a word, and false for an unknown word.
func ParseAnomalyKind(word string) (AnomalyKind, bool) {
	i := slices.Index(anomalyWords[:], word)
	return AnomalyKind(max(i, 0)), i >= 0
}

// MarshalText returns the kind's word. The error is always nil.
func (k AnomalyKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// AnomalySet is the set of kinds of anomalies that affect a reading.
type AnomalySet uint16

// Has reports whether the set contains k.
func (s AnomalySet) Has(k AnomalyKind) bool { return s>>k&1 != 0 }

// With returns the set with k added.
func (s AnomalySet) With(k AnomalyKind) AnomalySet { return s | 1<<k }

// String returns the words of the kinds, separated by commas.
func (s AnomalySet) String() string {
	var words []string
	for k := range numAnomalies {
		if s.Has(k) {
			words = append(words, k.String())
		}
	}
	return strings.Join(words, ",")
}
