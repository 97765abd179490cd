// Package winperf is the vocabulary of performance counters in the Windows
// model: objects that hold instances and counters, the paths that name them,
// the raw samples that sources deliver, the readings that are computed from
// them, and the contracts between those who deliver and those who read.
//
// It holds no code that touches a system. To read counters open a source
// (package source) and watch it (package measure):
//
//	src, err := source.Open(ctx, "local:")
//	...
//	sel := winperf.Selection{Paths: paths}
//	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{}) { ... }
package winperf
