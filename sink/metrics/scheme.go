package metrics

import (
	"strings"

	"github.com/winperf/winperf/frame"
)

// A scheme says what the metrics are called that objects become, which counters they
// are made of and how instances become labels. It is asked once for each object, and
// again when the object's definitions or names change; the Mapper does all the rest:
// selection, identity, unwrapping, memory, and which families of several objects are one.
//
// To write one: look names up with layout.find, choose the values among those of
// values.go (or write a function of the type value), and choose or write a labelling.
type scheme interface {
	// templates returns the metrics of an object, in the order in which they are to
	// be written; none for an object that the scheme does not know.
	templates(o *layout) []template
}

// teller is a scheme that has metrics of no object, too.
type teller interface {
	// told returns them, of one sample of these machines; those that counters give, too,
	// are left out.
	told(machines []string) []told
}

// told is a metric of no object. Its columns are filled, but for the time of the sample, which
// has one row.
type told struct {
	Family
	isTime bool
}

// layout is an object as a scheme sees it.
type layout struct {
	// Object gives definitions and machine. Values and instances change, so that a
	// scheme must not rest on those that it sees here.
	Object frame.Object
	// Name and Help are English, as far as there are English tables.
	Name, Help string
	Counters   []definition // by position in the object, bases too
	// Machine says that instances get a label with the name of their machine, since
	// there are several in the sample, or it is not at home.
	Machine bool
}

// definition is a counter of an object.
type definition struct {
	frame.Counter
	Name, Help string // English, as those of layout
}

// find returns the position of the counter with an English name, in either case, that
// is not a base; -1 where there is none.
func (o *layout) find(name string) int {
	for k := range o.Counters {
		if d := &o.Counters[k]; !d.Type.IsBase() && strings.EqualFold(d.Name, name) {
			return k
		}
	}
	return -1
}

// template is a family of metrics, or what one object adds to it.
type template struct {
	Name, Unit, Help string
	Type             Type
	Additive         bool
	Columns          []columnTemplate
	// Rows says how instances become rows; nil stands for one row without labels, for
	// objects without instances and for what sums instances up. Templates of an
	// object with the same pointer have the same *Rows.
	Rows *labelling
	// Shared tells that the name is as it is: whatever object makes a family of it adds
	// columns to the one, as TCPv4 and TCPv6 do, whose labels differ. Without it a family
	// of another object that would collide gets a number.
	Shared bool
	// Unless are names of objects: where the sample has one of them the template is left
	// out.
	Unless []string
}

// columnTemplate is what a Column is made of.
type columnTemplate struct {
	Extra  []Label // sorted by name
	Suffix string
	// Counters are the positions of the counters that Value reads with inputs.read, the one
	// first that the selection is compared with. Those that only grow and have 4 bytes
	// are unwrapped for it.
	Counters []int
	Value    value
}

// value fills a column: Form and Bits, and Absent where rows have none. Bits has the
// length of the rows and anything in it. It must not allocate.
type value func(in *inputs, out *Column)

// labelling makes the labels of an object's instances.
type labelling struct {
	// Labels appends the labels of instance i; false leaves the instance out. Totals are
	// left out before, unless the options want them. It is asked when an instance is
	// new, renamed, or has moved. Empty values are left out after.
	Labels func(o frame.Object, i int, ls []Label) ([]Label, bool)
	// IDs are the positions of counters whose raw values stand in the labels.
	IDs []int
	// Index tells instances apart that have the same labels by a label "index" from
	// 1 on for the second. Without it all but the first are left out.
	Index bool
	// Totals says that totals come, too, and that Labels leaves out those not wanted.
	Totals bool
	// Changing says that labels may change though the instance is the same, as texts
	// do. They are made with each sample.
	Changing bool
}
