// Package measure is the measurement loop: it takes samples of a selection of
// counters, decodes them and computes readings.
//
// # The simple case
//
// [Watch] takes a sample at every interval and yields a [Cycle] of readings each
// time:
//
//	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{Interval: time.Second}) {
//		if err != nil { ... }
//		for _, r := range cycle.Readings() { ... }
//	}
//
// # Stages
//
// A [Context] works in three steps. Prepare does everything that can be done
// beforehand. Sample is the only step that touches the measured system; it
// takes the raw data and nothing else, allocates nothing and waits for no lock
// that another step can hold. Decode does the rest: it indexes the sample,
// matches instances with those of the sample before and cooks the counters that
// were asked for. A step out of order is refused with an error that names state
// and operation; a step that fails leaves the Context ready for Prepare. While
// one goroutine measures, others may call Browse and Readings.
//
// A [Joint] does the same over several sources, sampled at the same moment.
//
// Costly objects do not delay the others: they are sampled apart, as often as
// that can be done, and their readings have the time of their own sample. See
// Options.CostlyTogether.
//
// # What may be wrong with a measurement
//
// What is unusual about a sample is in Cycle.Anomalies as data: instances that
// came or left, clocks that went back, counters that were reset, samples that
// were late. The readings that an anomaly touches carry its kind. What a cycle
// costs is in Cycle.Cost, and can be read like anything else, by paths of the
// object winperf: \winperf\Sample Time.
//
// # Instances over time
//
// A reading's Series is the same as long as its instance lives, and never that
// of another one. Its path is what people read; by default that is the name the
// source gives, which changes when another instance of the same name ends.
// Rules give other names (see [NameRule] and [ByNameAndPID]), and Series.Key
// tells an instance from all others there ever were.
package measure
