package winperf

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Anomaly is something unusual about a measurement that is no error: the
// readings can be used, but their readers should know. Sources, caches
// and package measure report anomalies as data and log nothing.
type Anomaly struct {
	Kind AnomalyKind
	// Time is when it was noticed: of the sample, in UTC, where there is one.
	Time time.Time
	// Source names the source; "" where there is only one.
	Source string
	// Object is what it is about; the zero ObjectID stands for the whole sample
	// or source.
	Object ObjectID
	// ObjectName is the object's name in the language of output.
	ObjectName string
	// Instances are those that it is about, as paths spell them.
	Instances []string
	// Detail is what was seen, for people.
	Detail string
	// Action is what was done about it, for people; "" is nothing.
	Action string
	// Err is the cause, where there is an error.
	Err error
}

// String is the anomaly as one line without its time:
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

// someNames lists names; of many only the first.
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

// AnomalyKind says what is unusual.
type AnomalyKind uint8

// The kinds. Their words (see AnomalyKind.String) are a fixed set that other
// programs may rely on.
const (
	BufferGrew       AnomalyKind = iota // memory had to be allocated while a sample was taken
	InstancesCame                       // instances are new in this sample
	InstancesLeft                       // instances of the sample before are gone
	SchemaChanged                       // an object came or went, its counters or the name tables changed
	ClockBack                           // a clock of the sample went back
	CounterReset                        // a counter that only grows fell
	CounterWrapped                      // a counter of 4 bytes fell, and was taken to have wrapped
	SourceSlow                          // taking the sample lasted too long
	SampleLate                          // the sample was taken later than it was due
	SampleMissed                        // samples before this one were due and could not be taken
	ProviderFailed                      // what fills objects with counts failed
	SourceFailed                        // a source gave no sample, or one that could not be read
	ClockSet                            // the system time was set between two samples
	InstancesRenamed                    // the same instances have other names or numbers than in the sample before
	PathUnmatched                       // a path matches nothing yet; told once, not in each sample
	InstanceBegan                       // an instance began after the sample before, and counts from zero
	numAnomalies
)

var anomalyWords = [numAnomalies]string{
	BufferGrew:     "buffer_grew",
	InstancesCame:  "instances_came",
	InstancesLeft:  "instances_left",
	SchemaChanged:  "schema_changed",
	ClockBack:      "clock_back",
	CounterReset:   "counter_reset",
	CounterWrapped: "counter_wrapped",
	SourceSlow:     "source_slow",
	SampleLate:     "sample_late",
	SampleMissed:   "sample_missed",
	ProviderFailed: "provider_failed",
	SourceFailed:   "source_failed",
	ClockSet:       "clock_set",

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

// ParseAnomalyKind returns the kind that a word stands for; false for any other word.
func ParseAnomalyKind(word string) (AnomalyKind, bool) {
	i := slices.Index(anomalyWords[:], word)
	return AnomalyKind(max(i, 0)), i >= 0
}

// MarshalText writes the kind's word.
func (k AnomalyKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// AnomalySet is the set of kinds of anomalies that touch a reading.
type AnomalySet uint16

// Has reports whether the set holds a kind.
func (s AnomalySet) Has(k AnomalyKind) bool { return s>>k&1 != 0 }

// With is the set with a kind added.
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
