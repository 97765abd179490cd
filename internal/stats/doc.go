// Package stats computes figures of series of values: how many there are, how large,
// how they are spread, and whether those of two series differ.
//
// A Series takes values one after the other and keeps a bounded number of them.
// Count, extremes, average and deviation are those of all values. Percentiles are
// exact as long as all values are kept; then they are those of a sketch, whose
// greatest error is known (see Figures.Error):
//
//	up to 1,024 values, while all series together keep at most 4 million: exact
//	beyond: within 0.4 % of a value that was measured there, for values that are not
//	spread over more than 2,048 steps of that size; else within twice that, and so on
//
// The package is pure and knows no counters: its caller says when values were
// measured and whether one stands for the time since the one before.
package stats

// Choices worth knowing here:
//
// Percentiles are of the nearest rank, so that each is a value that was measured. Beyond the
// exact ones a sketch counts values by their sign, exponent and first bits of the fraction:
// that takes no logarithm, the order of values does not matter, and the error is known.
// Whether an average goes by time the counter's type says (counter.Type.OverTime); perfmon's
// is that of the values, which summary has beside it in JSON.
