package measure

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/poison"
	"github.com/winperf/winperf/nametable"
)

// Cycle is the result of one round of prepare, sample and decode. Its Measurement replaces the
// values when it decodes the next sample. [Cycle.Keep] makes it valid for good.
//
// Sample and Frame stay valid until the Measurement has decoded two more: the frame before can be
// read without keeping it.
type Cycle struct {
	// Time of the sample, UTC.
	Time time.Time
	// Parts and ColumnParts hold, for each part of the selection (its paths in
	// their order, then the rest), where its readings end in Readings, and its
	// columns in Columns.
	Parts, ColumnParts []int
	// Frame is the sample with all its objects. Costly ones may be those of an
	// earlier one (see Options.CostlyTogether); their readings have its time. It is
	// the zero Frame where nothing was decoded.
	Frame frame.Frame
	// Cook are the options that Frame is cooked with, see Options.Cook.
	Cook counter.Options
	// Sample is the sample as the source returned it. Costly objects that are sampled apart
	// (see Options.CostlyTogether) are in further Parts, which have Beside set and may be
	// older. The Measurement owns Sample.
	Sample *winperf.Sample
	// Names are the names of the sample's objects and counters, nil where nothing was decoded.
	Names *nametable.Names
	// Damage is what was found wrong with the sample or its name tables. A language that the source lacks is a
	// notice (see [winperf.Sample]): the cycle is whole, but its names are English.
	Damage []error
	// Missed is the number of samples that were due since the cycle before but
	// not taken because taking or handling one lasted too long.
	Missed int
	// Anomalies are what was unusual about the sample or since the one before.
	// The readings that one touches carry its kind.
	Anomalies []winperf.Anomaly
	// Cost is what the cycle cost.
	Cost Cost

	kept     bool
	used     used // since the cycle before, if a path asks for a counter of the object winperf
	values   int  // how many readings there are
	columns  []winperf.Column
	readings []winperf.Reading
	made     bool // readings are made
}

// Columns are the values side by side, in the order of the selection's paths;
// below a path by object, counter and instance. A path that nothing matched has
// a column with one value, with the path as it was given and the machine's name,
// that says so. They are the fastest way to tens of thousands of values.
func (c *Cycle) Columns() []winperf.Column { return c.columns }

// Part returns the columns of a part of the selection, see Parts.
func (c *Cycle) Part(w int) []winperf.Column {
	from := 0
	if w > 0 {
		from = c.ColumnParts[w-1]
	}
	return c.columns[from:c.ColumnParts[w]]
}

// Readings are the values one by one, in the same order. They are made when they
// are first asked for, and valid as long as the Cycle.
func (c *Cycle) Readings() []winperf.Reading {
	if !c.made {
		c.made = true
		c.readings = slices.Grow(c.readings[:0], c.values)
		for i := range c.columns {
			c.readings = appendReadings(c.readings, &c.columns[i])
		}
	}
	return c.readings
}

// Len is the number of readings.
func (c *Cycle) Len() int {
	if len(c.Parts) == 0 {
		return 0
	}
	return c.Parts[len(c.Parts)-1]
}

// Keep takes the cycle, with its sample, frame and values, out of reuse for good: it does not
// change any more, and the garbage collector frees it. The error wraps winperf.ErrState where the
// cycle's frame is not valid any more.
func (c *Cycle) Keep() error {
	if err := c.Frame.Keep(); err != nil {
		return err
	}
	c.kept = true
	c.Sample.Keep()

	c.columns = slices.Clone(c.columns)
	for i := range c.columns {
		keepColumn(&c.columns[i])
	}
	return nil
}

// begin empties the cycle.
func (c *Cycle) begin() {
	if poison.On {
		for i := range c.readings {
			c.readings[i] = winperf.Reading{Status: 0xA5}
		}
	}
	c.columns, c.readings, c.made = c.columns[:0], c.readings[:0], false
	c.Parts, c.ColumnParts, c.values = c.Parts[:0], c.ColumnParts[:0], 0
}
