// Package typed fills Go structs from the instances of an object: one struct
// for each instance, one field for each counter that is wanted.
//
// Tags say which counter a field takes, by its name in any language that the
// source knows or, as #784, by its title index:
//
//	type Processor struct {
//		Name string              `perf:"@instance"`
//		Busy float64             `perf:"% Processor Time"`
//		MHz  typed.Value[uint32] `perf:"Processor Frequency,optional"`
//		Idle typed.Value[uint64] `perf:"% Idle Time,raw"`
//	}
//
// A field is a float64 or float32, which is NaN where there is no value, or a
// [Value], which says why: of a number, of a string for counters of text. Behind
// the name may stand
//
//   - raw: the raw value as the system keeps it, instead of the displayable one;
//   - base: the raw value of the counter's base, what an average or a fraction is divided
//     by; one that has a name of its own can be had by that, too;
//   - optional: the object need not have the counter.
//
// Instead of a counter's name the tag may be @instance, the instance's full name
// in a string ("" for an object without instances), or @index, its number among
// those of the same name in an int. Fields without a tag are zero in every row.
// Structs within the struct belong to it.
//
// A process or thread that began after the previous sample counts from zero, unless
// Options.Cook.NeedPrevious is set. Any other instance that the previous sample did not
// have has no rate yet (counter.NoPrevious).
//
// All of this is checked when a [Reader] is opened: a struct that does not fit
// the object gives an error that names the field. What is compiled then is a list
// of places and conversions; to fill rows neither looks at types nor allocates.
package typed

// Choices worth knowing here:
//
// measure/typed writes fields through one unsafe function, whose file says what it rests on.
// Integers and texts need a typed.Value: a plain integer could not say that there is no value,
// as NaN does for a decimal.
