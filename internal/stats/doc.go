// Package stats computes figures of series of values: count, size, distribution, and whether two
// series differ.
//
// A Series keeps a bounded number of values. Count, extremes, average and deviation cover all
// values. Percentiles are exact while all values are kept, then from a sketch with a known error
// (see Figures.Error):
//
//	up to 1,024 values, while all series together keep at most 4 million: exact
//	beyond: within 0.4 % of a measured value, if the values span at most 2,048 steps
//	of that size; else within twice that, and so on
//
// The package does not know counters: the caller passes times and chooses weighted series.
package stats

// Percentiles are of the nearest rank, so that each is a measured value. The sketch counts values
// by sign, exponent and first bits of the fraction: this needs no logarithm and does not depend on
// the order of values.
