package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
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
	// the zero Frame where values come cooked from the source, and where nothing was
	// decoded.
	Frame frame.Frame
	// Cook are the options that Frame is cooked with, see Options.Cook.
	Cook counter.Options
	// Sample is the sample as the source returned it. Costly objects that are sampled apart
	// (see Options.CostlyTogether) are in further Parts, which have Beside set and may be
	// older. The Measurement owns Sample.
	Sample *winperf.Sample
	// Names are the names of the sample's objects and counters, nil where nothing was decoded.
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

	kept     bool
	values   int // how many readings there are
	columns  []Column
	readings []winperf.Reading
	began    forms // what was there first, and does not change
	has      forms
	at       position    // of what At returned last
	store    columnStore // of columns that were made of readings
}

// forms are the forms in which the values of a cycle are there.
type forms struct{ columns, readings bool }

// Columns are the values side by side, in the order of the selection's paths;
// below a path by object, counter and instance. A path that nothing matched has
// a column with one value, with the path as it was given and the machine's name,
// that says so. They are the fastest way to tens of thousands of values.
func (c *Cycle) Columns() []Column {
	if !c.has.columns {
		c.has.columns = true
		c.columns = slices.Grow(c.columns[:0], len(c.readings))[:len(c.readings)]
		c.store.grow(len(c.readings))
		for i := range c.readings {
			c.columns[i] = c.store.reading(i, i, &c.readings[i])
		}
	}
	return c.columns
}

// Readings are the values one by one, in the same order. They are made when they
// are first asked for, and valid as long as the Cycle.
func (c *Cycle) Readings() []winperf.Reading {
	if !c.has.readings {
		c.has.readings = true
		c.readings = slices.Grow(c.readings[:0], c.values)
		for i := range c.columns {
			c.readings = c.columns[i].appendReadings(c.readings)
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

// At returns the reading at position i of Readings, from 0 to Len()-1. The reading and its
// Series are valid until the next call. At makes only this one reading; Readings makes all,
// which for a million instances takes more memory than their sample.
func (c *Cycle) At(i int) *winperf.Reading {
	if c.has.readings {
		return &c.readings[i]
	}

	// The columns stand in the order of their readings.
	at := &c.at
	if col := &c.columns[at.column]; i < col.start || i >= col.start+col.Len() {
		next, exact := slices.BinarySearchFunc(c.columns, i, func(col Column, i int) int {
			return cmp.Compare(col.start, i)
		})
		if !exact {
			next--
		}
		at.column = next
	}

	col := &c.columns[at.column]
	n := i - col.start
	col.describe(&at.series, n)
	col.reading(&at.reading, n, &at.series)
	return &at.reading
}

// position is a reading and where it stands.
type position struct {
	column  int
	reading winperf.Reading
	series  winperf.Series // of the reading
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

	for i := range c.columns {
		col := &c.columns[i]
		col.Bits, col.Status, col.Marks = slices.Clone(col.Bits), slices.Clone(col.Status), slices.Clone(col.Marks)
	}
	return nil
}

// begin empties the cycle; its values will be there as columns or as readings.
func (c *Cycle) begin(has forms) {
	c.columns, c.readings, c.began, c.has = c.columns[:0], c.readings[:0], has, has
	c.Parts, c.ColumnParts, c.values, c.at = c.Parts[:0], c.ColumnParts[:0], 0, position{}
}
