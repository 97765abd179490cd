// Package counter knows the counter types of winperf.h: what their flag words
// mean and how the displayable value is computed from raw samples.
//
// A raw value is what a system keeps: 4 or 8 bytes without a unit. Its type
// says which formula turns one or two samples of it into a displayable value.
// One table ([Types]) holds every type with its operands, formula and unit;
// [ParseType] finds a type by name or number and [Type.Describe] takes any word
// apart.
//
// [Cook] computes one value from one or two samples. [Formula] does the same
// for whole columns of instances without allocating.
//
// The package knows numbers only. Bytes, names and instances are the business
// of other packages; it imports none of them.
package counter
