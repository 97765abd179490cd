package winperf

import (
	"time"

	"github.com/winperf/winperf/counter"
)

// Reading is one displayable value: which counter of which instance, its value
// and unit, when it was sampled, and whether it can be used. Value holds
// something only when Status is [counter.OK].
type Reading struct {
	*Series
	Time   time.Time
	Value  counter.Value
	Status counter.Status
	// Anomalies are the kinds of anomalies that touch the reading. Nearly
	// always there is none.
	Anomalies AnomalySet
}

// Readings are the readings of one moment, which need not be in memory all at
// once.
type Readings interface {
	// Len is the number of readings.
	Len() int
	// At returns the reading at a position, valid until the next call, as its
	// Series is. The texts of its Path stay valid.
	At(i int) *Reading
}

// ReadingList is a slice of readings as Readings.
type ReadingList []Reading

// Len implements Readings.
func (l ReadingList) Len() int { return len(l) }

// At implements Readings.
func (l ReadingList) At(i int) *Reading { return &l[i] }
