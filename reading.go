package winperf

import (
	"fmt"
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

// String returns the path, the value and its unit as one line, or the path and the status of a
// reading without a value:
//
//	\\HOST\Processor(_Total)\% Processor Time: 12.5 percent
//	\\HOST\Process(editor)\% Processor Time: no_instance
//
// The text of a path is as the source returned it, and may hold anything.
func (r Reading) String() string {
	path := ""
	unit := counter.NoUnit
	if r.Series != nil {
		path, unit = r.Series.String(), r.Unit
	}

	switch {
	case r.Status != counter.OK:
		return fmt.Sprintf("%s: %v", path, r.Status)
	case unit == counter.NoUnit || unit == counter.TextUnit:
		return fmt.Sprintf("%s: %v", path, r.Value)
	}
	return fmt.Sprintf("%s: %v %v", path, r.Value, unit)
}
