// Package typed reads the counters of an object into Go structs: one struct for each instance, one
// field for each counter.
//
// Tags name the counter of a field, in any language of the source or, as #784, by title index:
//
//	type Processor struct {
//		Name string              `perf:"@instance"`
//		Busy float64             `perf:"% Processor Time"`
//		MHz  typed.Value[uint32] `perf:"Processor Frequency,optional"`
//		Idle typed.Value[uint64] `perf:"% Idle Time,raw"`
//	}
//
// A field is a float64 or float32, which is NaN if there is no value, or a [Value], which has the
// reason: of a number, or of a string for text counters. Options after the name are
//
//   - raw: the raw value, as the system keeps it;
//   - base: the raw value of the counter's base, the divisor of an average or a fraction; a base
//     with its own name can be named directly, too;
//   - optional: the object may lack the counter.
//
// The tag @instance is the full name of the instance in a string ("" for an object without
// instances), @index its number among equal names in an int. Fields without a tag are zero. The
// fields of nested structs are read, too.
//
// A process or thread that began after the previous sample counts from zero, unless
// Options.Cook.NeedPrevious is set. Any other instance that the previous sample lacks has no rate
// (counter.NoPrevious).
//
// [Open] checks all tags: its error names each field that does not fit the object. Filling rows then
// neither uses reflection nor allocates.
package typed

// All unsafe code is in place.go. Integers and texts need a Value because a plain field could not
// represent a missing value.
