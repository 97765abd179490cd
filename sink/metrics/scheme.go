package metrics

import (
	"strings"

	"github.com/winperf/winperf/frame"
)

// A scheme defines the metrics of objects: names, counters and labels. The Mapper calls it once for
// each object, and again after changes of definitions or names. The Mapper does everything else:
// selection, identity, unwrapping, memory, and merging families.
//
// To write a scheme, find counters with layout.find, choose values of values.go or write one, and
// choose or write a labelling.
type scheme interface {
	// templates returns the metrics of an object in the order of output, or none.
	templates(o *layout) []template
}

// factScheme is a scheme that also has metrics without an object.
type factScheme interface {
	// factFamilies returns these metrics for a sample of these machines. Metrics that counters provide are
	// omitted later.
	factFamilies(machines []string) []factFamily
}

// factFamily is a metric without an object. Its columns are filled, except a time of the sample, which
// has one row, and values of the host.
type factFamily struct {
	Family
	isTime bool
	isHost bool // the values are of Options.HostValues
	// filters select the values.
	filters []LabelFilter
}

// layout describes an object for a scheme.
type layout struct {
	// Object has the definitions and the machine. Do not use its values and instances, which change.
	Object frame.Object
	// Name and Help are English if English tables exist.
	Name, Help string
	Counters   []definition // by position in the object, with bases
	// Machine requests a label with the machine: the sample has several, or it is not Options.Home.
	Machine bool
}

type definition struct {
	frame.Counter
	Name, Help string // English, as in layout
	// Unselected counters are in no selected path or object. A path names Named ones without wildcards.
	Unselected, Named bool
}

// find returns the position of the counter with an English name, ignoring case and bases, or -1.
func (o *layout) find(name string) int {
	for k := range o.Counters {
		if d := &o.Counters[k]; !d.Type.IsBase() && strings.EqualFold(d.Name, name) {
			return k
		}
	}
	return -1
}

// template is a family of metrics, or the part of an object.
type template struct {
	Name, Unit, Help string
	Type             Type
	Additive         bool
	Columns          []columnTemplate
	// Rows defines the rows of instances; nil is one row without labels, for objects without instances
	// and for sums. Templates with the same pointer share *Rows.
	Rows *labelling
	// Shared keeps the name: all objects add columns to one family, such as TCPv4 and TCPv6, whose
	// labels differ. Otherwise a colliding family of another object gets a number.
	Shared bool
	// Unless are names of objects. If the sample has one of them, the template is omitted.
	Unless []string
	// Repeats is the name of a family of another object with the same values. If the machine has it,
	// the template is omitted.
	Repeats string
}

// columnTemplate defines a Column.
type columnTemplate struct {
	Extra  []Label // sorted by name
	Suffix string
	// Counters are the positions of the counters that Value reads with inputs.read. The first one is
	// compared with the selection. Cumulative counters of 4 bytes are unwrapped.
	Counters []int
	Value    value
}

// value fills a column: Form and Bits, and Absent for missing values. Bits has the length of the
// rows and arbitrary content. A value must not allocate.
type value func(in *inputs, out *Column)

// labelling defines the labels of an object's instances.
type labelling struct {
	// Labels appends the labels of instance i; false omits the instance. Totals are omitted before,
	// unless requested, and empty values after the call. It is called for a new, renamed or moved
	// instance.
	Labels func(o frame.Object, i int, ls []Label) ([]Label, bool)
	// IDs are the positions of counters whose raw values are in labels.
	IDs []int
	// Index distinguishes instances with equal labels by a label "index", from 1 for the second.
	// Otherwise all but the first are omitted.
	Index bool
	// Totals passes all totals to Labels, which omits the unrequested ones.
	Totals bool
	// Changing means that labels of an instance may change, such as texts. They are made for each
	// sample.
	Changing bool
}
