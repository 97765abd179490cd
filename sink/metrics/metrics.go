package metrics

import "time"

// Set has the metrics of one sample. It is valid until its Mapper maps the next frame.
type Set struct {
	// Time of the sample, UTC.
	Time time.Time
	// TextOnly reports whether the names are names of another program that break rules of
	// OpenMetrics. Write such a Set only in Prometheus' text format 0.0.4, without adding or
	// removing _total.
	TextOnly bool
	// Families are in the order of Options.Names, then of the objects in the sample and their
	// counters. Their names are unique. A family may have no rows.
	Families []Family
}

// Type is the type of a metric.
type Type uint8

// The types. A Summary has a sum and a count, but no quantiles. The value of an Info is 1; its
// labels have the information.
const (
	Gauge Type = iota
	Counter
	Summary
	Info
)

// Family is a metric: all values with the same name.
type Family struct {
	// Name is the name in Prometheus' text format: it ends with _total for a Counter with a name of
	// Own, and lacks _sum and _count for a Summary.
	Name string
	Type Type
	// Unit is the base unit as in the name ("seconds", "bytes", "ratio"), or "" if the name has
	// none. For names of OpenTelemetry it is the UCUM unit ("s", "By", "1").
	Unit string
	// Additive marks an up-down counter of OpenTelemetry: a Gauge whose values can be added, such as
	// bytes in use.
	Additive bool
	Help     string
	// Object is the English name of the object of the first column; "" for none.
	Object  string
	Columns []Column
}

// Label is a name and a value. The name is valid in Prometheus; the value may be any bytes.
type Label struct{ Name, Value string }

// Form is the format of a column's bits.
type Form uint8

// The forms.
const (
	Whole      Form = iota // an unsigned integer
	Ticks100ns             // an unsigned integer in 100 ns: seconds with seven decimals
	Float                  // a float64
)

// Column has a value for each row of Rows.
type Column struct {
	Rows *Rows
	// Extra are labels of all values, in addition to the labels of the row.
	Extra []Label
	// Suffix is "_sum" or "_count" for a summary, else "".
	Suffix string
	Form   Form
	Bits   []uint64
	// Absent has bit i%64 of word i/64 set if row i has no value; nil if all have one.
	Absent []uint64
	// Time is the sampling time if it differs from the Set's time, else zero.
	Time time.Time
}

// Has reports whether row i has a value.
func (c *Column) Has(i int) bool { return c.Absent == nil || c.Absent[i/64]>>(i%64)&1 == 0 }

// Rows are the labels of the selected instances of an object. They are immutable: an unchanged
// pointer means that no instance was added, removed or moved, so that cached labels can be reused.
type Rows struct {
	labels  [][]Label
	created []int64
}

// NewRows returns rows with these labels. created are the start times in nanoseconds since 1970. 0
// means that the time of a row is unknown, nil that all are unknown. The caller must not change the
// slices afterwards.
func NewRows(labels [][]Label, created []int64) *Rows { return &Rows{labels, created} }

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.labels) }

// Labels returns the labels of row i, sorted by name. They must not be changed.
func (r *Rows) Labels(i int) []Label { return r.labels[i] }

// Created returns the start time of row i's instance, at which its counters were 0, and whether it
// is known. It can be known only for objects with the counter Elapsed Time, such as Process.
func (r *Rows) Created(i int) (time.Time, bool) {
	if r.created == nil || r.created[i] == 0 {
		return time.Time{}, false
	}
	return time.Unix(0, r.created[i]), true
}
