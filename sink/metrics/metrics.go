package metrics

import "time"

// Set is what one sample gave. It is valid until its Mapper maps the next.
type Set struct {
	// Time of the sample, UTC.
	Time time.Time
	// TextOnly tells that names are those of another program, which are kept though they
	// break rules of OpenMetrics: the Set can be written as Prometheus' text 0.0.4 and in no
	// other form of text, and no name of it may gain or lose a _total.
	TextOnly bool
	// Families are in the order of the sample's objects and their counters, those of
	// one scheme behind those of another. Their names differ. One may have no rows.
	Families []Family
}

// Type is what the values of a metric do.
type Type uint8

// The types. A Summary has a sum and a count and no quantiles; an Info is 1 and
// says something by its labels.
const (
	Gauge Type = iota
	Counter
	Summary
	Info
)

// Family is a metric: all values that have its name.
type Family struct {
	// Name is whole, as Prometheus' text has it: that of a counter of winperf's own
	// names ends in _total, that of a summary lacks _sum and _count.
	Name string
	Type Type
	// Unit is the base unit in words that the name has too ("seconds", "bytes",
	// "ratio"); "" where there is none. Names of OpenTelemetry have theirs in UCUM
	// ("s", "By", "1").
	Unit string
	// Additive tells that the values of a Gauge of OpenTelemetry's names add up to
	// something, as bytes in use do: it is an up-down counter there.
	Additive bool
	Help     string
	// Object is the English name of the object that the first column is of; "" for a
	// metric that is of none.
	Object  string
	Columns []Column
}

// Label is a name and a value. The name is one that Prometheus takes; the value
// may be any bytes.
type Label struct{ Name, Value string }

// Form says how the bits of a column are to be read.
type Form uint8

// The forms.
const (
	Whole      Form = iota // an unsigned integer
	Ticks100ns             // an unsigned integer of 100 ns: seconds with seven decimals
	Float                  // a float64
)

// Column holds a value for each of Rows.
type Column struct {
	Rows *Rows
	// Extra are labels that all values have besides those of their row.
	Extra []Label
	// Suffix is that of a value of a summary: "_sum" or "_count"; else "".
	Suffix string
	Form   Form
	Bits   []uint64
	// Absent has bit i%64 of word i/64 set where row i has no value; nil where all have.
	Absent []uint64
	// Time is when the values were taken where that is not the Set's time; else zero.
	Time time.Time
}

// Has reports whether row i has a value.
func (c *Column) Has(i int) bool { return c.Absent == nil || c.Absent[i/64]>>(i%64)&1 == 0 }

// Rows are the labels of the instances of an object, or of those of them that were
// chosen. They do not change: the same pointer in the next Set tells that nothing came,
// went or moved, so that what a reader made of the labels can be used again.
type Rows struct {
	labels  [][]Label
	created []int64
}

// NewRows returns rows with these labels. created are the times, in nanoseconds
// since 1970, at which what the rows stand for began; nil where that is not
// known, 0 where it is not of one. The slices must not be changed any more.
func NewRows(labels [][]Label, created []int64) *Rows { return &Rows{labels, created} }

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.labels) }

// Labels returns the labels of row i, sorted by name. They must not be changed.
func (r *Rows) Labels(i int) []Label { return r.labels[i] }

// Created returns when what row i stands for began, and whether that is known:
// then its counters were 0.
func (r *Rows) Created(i int) (time.Time, bool) {
	if r.created == nil || r.created[i] == 0 {
		return time.Time{}, false
	}
	return time.Unix(0, r.created[i]), true
}
