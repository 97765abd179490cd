// Package measure is the measurement loop: it takes samples of a selection of
// counters, decodes them and computes readings.
//
// A [Context] does so in three steps. Prepare does everything that can be done
// beforehand. Sample is the only step that touches the measured system; it
// takes the raw data and nothing else. Decode does the rest: it indexes the
// sample, matches instances with those of the sample before and cooks the
// counters that were asked for.
//
// [Watch] runs these steps at an interval and yields a [Cycle] of readings each
// time:
//
//	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{Interval: time.Second}) {
//		if err != nil { ... }
//		for _, r := range cycle.Readings { ... }
//	}
package measure
