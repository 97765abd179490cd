package measure

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Cycle is what one round of prepare, sample and decode gave. It is valid
// until its Context decodes the next sample or is closed; whoever wants to keep
// the frame for longer retains it, and copies readings.
type Cycle struct {
	// Time of the sample, UTC.
	Time time.Time
	// Readings in the order of the selection's paths; below a path by object,
	// counter and instance. A path that nothing matched has one reading, with
	// the path as it was given and the machine's name, that says so.
	Readings []winperf.Reading
	// Columns are the readings in the same order, column by column, where
	// Options.Columns asks for them; Readings is empty then.
	Columns []Column
	// Parts holds, for each part of the selection (its paths in their order,
	// then the rest), where its readings end in Readings, or its columns in
	// Columns.
	Parts []int
	// Frame is the sample with all its objects. It is the zero Frame where the
	// source cooks its readings itself (see winperf.CookedQuery).
	Frame frame.Frame
	// Names are the names of the sample's objects and counters.
	Names *nametable.Names
	// Damage is what was found wrong with the sample or its name tables.
	Damage []error
	// Missed is the number of samples that were due since the cycle before but
	// not taken because taking or handling one lasted too long.
	Missed int
	// Anomalies are what was unusual about the sample or since the one before.
	// The readings that one touches carry its kind.
	Anomalies []winperf.Anomaly
	// Cost is what the cycle cost.
	Cost Cost

	values int // readings
}
