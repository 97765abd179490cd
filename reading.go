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
