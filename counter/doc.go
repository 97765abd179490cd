// Package counter computes the displayable values of counters from raw samples, and
// knows what the counter types of winperf.h mean.
//
// A raw value is what a system keeps: 4 or 8 bytes without a unit. Its type says
// which formula turns one or two samples of it into a displayable value. [Cook]
// computes one value:
//
//	result := counter.Cook(counter.BulkCount, &older, &newer, counter.Options{})
//	fmt.Println(result.Value, result.Unit, result.Status)
//
// [Formula] does the same for whole columns of instances without allocating. A
// result without a value says why in its [Status].
//
// [Types] ranges over all known types with their operands, formulas and units.
// [ParseType] finds a type by name or number, and [Type.Describe] takes any word
// apart.
//
// The package knows numbers only, and imports none of the packages that know bytes,
// names and instances. To read the counters of a machine or a log use package
// measure; to cook blocks of one's own use package frame.
package counter
