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

// Cycle is the result of one round of Prepare, Sample and Decode. The Measurement replaces its
// values when it decodes the next sample. [Cycle.Keep] makes them permanent.
//
// Sample and Frame stay valid until the Measurement has decoded two more samples, so the previous
// frame can be read without Keep.
type Cycle struct {
	// Base is the time of the sample before the range of a log, in the first cycle of the range; otherwise zero.
	Base time.Time

	// Time is the time of the sample, in UTC.
	Time time.Time
	// Parts and ColumnParts divide Readings and Columns by the parts of the selection: each of its
	// Paths and Objects in order, then Global, then Costly. Each element is the index behind the last
	// reading or column of a part.
	Parts, ColumnParts []int
	// Frame is the decoded sample with all its objects. Costly objects may be from an earlier
	// sample (see Options.CostlyTogether); their readings have the time of that sample. Frame is
	// zero with RawOnly.
	Frame frame.Frame
	// Cook are the options for the formulas of this cycle, see Options.Cook.
	Cook counter.Options
	// Sample is the sample as the source returned it. Costly objects that are sampled independently
	// are in further Parts, which have Independent set and may be older. The Measurement owns Sample.
	Sample *winperf.Sample
	// Names are the names of the sample's objects and counters; nil with RawOnly.
	Names *nametable.Names
	// Damage lists the errors found in the sample and its name tables. A language that the source
	// lacks is a notice (see [winperf.Sample]): the cycle is complete, with English names.
	Damage []error
	// Missed is the number of samples since the previous cycle that were due but not taken, because
	// a sample or the use of a cycle lasted too long.
	Missed int
	// Anomalies are unusual facts about the sample, or changes since the previous sample. The
	// affected readings carry their kinds.
	Anomalies []winperf.Anomaly
	// Cost has the durations of the steps, and the length of the sample.
	Cost Cost

	kept     bool
	used     used // since the previous cycle, if a path selects a counter of the object winperf
	values   int  // number of readings
	columns  []winperf.Column
	readings []winperf.Reading
	made     bool // readings is filled
}

// Columns returns the values in the order of the selection's paths, and for each path by object,
// counter and instance. A path without a match has a column with one value: its status is the
// reason, and its path is the requested path with the name of the machine. The columns are valid as
// long as the Cycle. They are the fastest access to many values.
func (c *Cycle) Columns() []winperf.Column { return c.columns }

// Part returns the columns of part w of the selection, counted from 0; see Parts.
func (c *Cycle) Part(w int) []winperf.Column {
	from := 0
	if w > 0 {
		from = c.ColumnParts[w-1]
	}
	return c.columns[from:c.ColumnParts[w]]
}

// Readings returns the values as single readings, in the order of Columns. The first call creates
// them, and they are valid as long as the Cycle.
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

// Len returns the number of readings.
func (c *Cycle) Len() int {
	if len(c.Parts) == 0 {
		return 0
	}
	return c.Parts[len(c.Parts)-1]
}

// Keep makes the cycle permanent, with its sample, frame and values: the Measurement does not reuse
// their memory. The error wraps winperf.ErrState if the cycle's frame is no longer valid.
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

func (c *Cycle) begin() {
	if poison.On {
		for i := range c.readings {
			c.readings[i] = winperf.Reading{Status: 0xA5}
		}
	}
	c.columns, c.readings, c.made = c.columns[:0], c.readings[:0], false
	c.Parts, c.ColumnParts, c.values = c.Parts[:0], c.ColumnParts[:0], 0
}
