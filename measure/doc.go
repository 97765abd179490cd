// Package measure takes samples of a selection of counters, decodes them and computes readings.
//
// # The simple case
//
// [Get] reads counters once:
//
//	readings, err := measure.Get(ctx, src, `\System\Processes`)
//
// [Watch] takes a sample at every interval and yields a [Cycle] with its readings:
//
//	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{Interval: time.Second}) {
//		if err != nil { ... }
//		for _, r := range cycle.Readings() { ... }
//	}
//
// # Stages
//
// A [Measurement] works in three steps. Prepare does the work that is possible before the sample.
// Sample is the only step that touches the measured system; it takes the raw data and nothing else,
// allocates nothing and waits for no lock that another step can hold. Decode matches instances with
// the previous sample and computes the values. A step in the wrong order fails. After a failed step
// the Measurement is ready for Prepare.
//
// Package experiment/sensor measures several sources at the same moment.
//
// # Anomalies and cost
//
// Cycle.Anomalies lists unusual facts about a sample: new and ended instances, clocks that were set
// back, reset counters, late samples. The affected readings carry the kind of the anomaly. Cycle.Cost
// is the cost of a cycle; it can be measured, too: \winperf\Sample Time.
//
// # Instances over time
//
// A reading's Series is the same as long as its instance lives, and no other instance gets it. Its
// path contains the source's name of the instance, which can change when another instance of the same
// name ends. An instance that a path names keeps the name that the path matched, even if the source
// renames it. Rules give other names (see [NameRule]). Series.Key distinguishes an instance from all
// earlier and later ones.
package measure

// Files: measurement.go and decode.go are the three steps, state.go their order, watch*.go the loop.
// plan*.go find the selected counters of a frame and make the columns; notes*.go collect anomalies.
// cycle.go and columns.go are the results.
//
// measure/internal/apart samples costly objects in parallel. So that sources do not serialize the two
// queries, local: has a second dispatcher for costly objects on Linux, and the registry a second
// session. Whether Windows serves two sessions of one process in parallel is untested.
