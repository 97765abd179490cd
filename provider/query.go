package provider

import (
	"slices"
	"strconv"
	"strings"
)

// Query selects objects of a dispatcher, like the value name of a registry query. As a hint it also lists
// the counters that will be read. The zero Query selects nothing. It must not be changed while it is in
// use.
type Query struct {
	Global   bool     // all objects that are not costly
	Costly   bool     // all costly objects
	Metadata bool     // definitions only
	Objects  []uint32 // title indices of further objects
	Unneeded []uint32 // title indices of objects that Global does not select
	// Counters, if it has an entry for an object, lists the title indices of the counters that will be
	// read. Objects without an entry are read completely. A session may omit other values and need not
	// read their data, except the counters that identify instances: ID Process (784), ID Thread (804) and
	// Elapsed Time (684) are always needed.
	Counters map[uint32][]uint32
}

// classes are the query strings other than lists of title indices, in lower case (Microsoft Learn, "Using
// the Registry Functions to Consume Counter Data"). Strings with OLD_ select version 1 providers, which
// all providers here are.
var classes = map[string]Query{
	"global":             {Global: true},
	"costly":             {Costly: true},
	"metadataglobal":     {Global: true, Metadata: true},
	"metadatacostly":     {Costly: true, Metadata: true},
	"old_global":         {Global: true},
	"old_metadataglobal": {Global: true, Metadata: true},
	"old_metadatacostly": {Costly: true, Metadata: true},
}

// ParseQuery parses a query string of RegQueryValueEx: "Global", "Costly", "MetadataGlobal",
// "MetadataCostly" or decimal title indices separated by blanks, in any case. Other strings, such as
// "Foreign ..." and "Counter 009", select nothing, as the contract of CollectPerformanceData requires.
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

// String returns the query string without the hint and Unneeded. Windows has no string for Global or Costly together
// with single objects: the result is then both, with Global and Costly first.
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

// Includes reports whether the query selects the object.
func (q *Query) Includes(o *Object) bool {
	if o.Costly && q.Costly || !o.Costly && q.Global && !slices.Contains(q.Unneeded, o.Index) {
		return true
	}
	return slices.Contains(q.Objects, o.Index)
}

// IncludesCounter reports whether the declared counter i of a selected object will be read.
func (q *Query) IncludesCounter(o *Object, i int) bool {
	selected, limited := q.Counters[o.Index]
	return !limited || slices.Contains(selected, o.Counters[i].Index)
}
