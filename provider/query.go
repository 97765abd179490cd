package provider

import (
	"slices"
	"strconv"
	"strings"
)

// Query says what a consumer wants of a dispatcher: the value name of a
// registry query with, as a hint, the counters that will be looked at. The zero
// Query wants nothing. It must not be changed while it is in use.
type Query struct {
	Global   bool     // every object that is not costly
	Costly   bool     // every costly object
	Metadata bool     // definitions only
	Objects  []uint32 // title indices of further objects
	// Counters, where it has an entry for an object, holds the title indices
	// of the only counters that will be looked at. Objects without an entry
	// are wanted whole. A session may leave the other values out and need not
	// read what only they come from, but for the counters by which readers know
	// an instance again: ID Process (784), ID Thread (804) and Elapsed Time
	// (684) are always wanted.
	Counters map[uint32][]uint32
}

// classes are the query strings that are no lists of title indices, in lower
// case (Microsoft Learn, "Using the Registry Functions to Consume Counter
// Data"). Those with OLD_ ask for version 1 providers only, which all
// providers here are.
var classes = map[string]Query{
	"global":             {Global: true},
	"costly":             {Costly: true},
	"metadataglobal":     {Global: true, Metadata: true},
	"metadatacostly":     {Costly: true, Metadata: true},
	"old_global":         {Global: true},
	"old_metadataglobal": {Global: true, Metadata: true},
	"old_metadatacostly": {Costly: true, Metadata: true},
}

// ParseQuery reads a query string as RegQueryValueEx takes it: "Global",
// "Costly", "MetadataGlobal", "MetadataCostly" or decimal title indices
// separated by blanks, in any case. What it does not know, foreign machines
// and name tables among it, asks for nothing, as the contract for
// CollectPerformanceData has it.
func ParseQuery(s string) *Query {
	if class, ok := classes[strings.ToLower(strings.TrimSpace(s))]; ok {
		return &class
	}
	q := &Query{}
	for word := range strings.FieldsSeq(s) {
		n, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			return &Query{}
		}
		q.Objects = append(q.Objects, uint32(n))
	}

	slices.Sort(q.Objects)
	q.Objects = slices.Compact(q.Objects)
	return q
}

// String returns the query string without the hint. A query that asks for a
// class and single objects at once has no single string; the class comes first.
func (q *Query) String() string {
	var words []string
	prefix := ""
	if q.Metadata {
		prefix = "Metadata"
	}
	if q.Global {
		words = append(words, prefix+"Global")
	}
	if q.Costly {
		words = append(words, prefix+"Costly")
	}

	for _, n := range q.Objects {
		words = append(words, strconv.FormatUint(uint64(n), 10))
	}
	return strings.Join(words, " ")
}

// Wants reports whether the object is wanted.
func (q *Query) Wants(o *Object) bool {
	if o.Costly && q.Costly || !o.Costly && q.Global {
		return true
	}
	return slices.Contains(q.Objects, o.Index)
}

// WantsCounter reports whether the declared counter i of a wanted object will be
// looked at.
func (q *Query) WantsCounter(o *Object, i int) bool {
	wanted, limited := q.Counters[o.Index]
	return !limited || slices.Contains(wanted, o.Counters[i].Index)
}
