package winperf

import (
	"fmt"
	"time"

	"github.com/winperf/winperf/counter"
)

// Reading is one displayable value with its series, time and status. Value is set only if Status is
// [counter.OK].
type Reading struct {
	*Series
	Time   time.Time
	Value  counter.Value
	Status counter.Status
	// Anomalies are the kinds of anomalies that affect the reading; usually none.
	Anomalies AnomalySet
}

// String returns the path, value and unit as one line, or the path and status of a reading without
// a value:
//
//	\\HOST\Processor(_Total)\% Processor Time: 12.5 percent
//	\\HOST\Process(editor)\% Processor Time: no_instance
//
// Names from the source are not escaped and may contain control characters.
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
