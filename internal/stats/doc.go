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
// The package is pure and knows no counters: whoever has values says when they were
// measured and whether one stands for the time since the one before.
package stats
