// Package counter computes the displayable values of counters from raw samples, and describes the
// counter types of winperf.h.
//
// A raw value is the number that a system keeps: 4 or 8 bytes without a unit. The counter's type
// selects the formula that computes the displayable value from one or two samples. [Cook] computes
// one value:
//
//	result := counter.Cook(counter.BulkCount, &older, &newer, counter.Options{})
//	fmt.Println(result.Value, result.Unit, result.Status)
//
// [Formula] computes columns of many instances without allocating. If a result has no value, its
// [Status] is the reason.
//
// [Types] ranges over all known types with their operands, formulas and units. [ParseType] finds a
// type by name or number, and [Type.Describe] lists the flags of any type.
//
// The package knows numbers only, not bytes, names or instances. To read the counters of a machine
// or a log, use package measure; to compute values from your own blocks, use package frame.
package counter
