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
// Sample is the only step that touches the measured system; it takes the raw data and nothing
// else, and allocates nothing (exceptions: see [Measurement.Sample]). Decode matches instances
// with the previous sample and computes the values. A step in the wrong order fails with an error
// that wraps winperf.ErrState. After a failed step the Measurement is ready for Prepare.
//
// Package experiment/sensor measures several sources at the same moment.
//
// # Anomalies and cost
//
// Cycle.Anomalies lists unusual facts about a sample: new and ended instances, clocks that were
// set back, reset counters, late samples. The affected readings carry the kind of the anomaly.
// Cycle.Cost has the durations of the steps. Paths of the object winperf, such as \winperf\Sample
// Time, select these numbers and others as readings.
//
// # Instances over time
//
// A reading's Series stays the same as long as its instance exists and keeps its name, and is
// never used for another instance. The path of the Series has the instance's name in the source.
// The number in it (#1) can change when another instance of the same name ends. If the source
// renames an instance that a path selects by its name, or by a pattern other than *, the readings
// keep the old name. Rules can rename instances (see [NameRule]). Series.Key distinguishes an
// instance from all earlier and later ones.
package measure

// Files: measurement.go and decode.go have the three steps, state.go their order, watch*.go the
// loop. plan*.go find the selected counters of a frame and make the columns; notes*.go collect
// anomalies. cycle.go and columns.go are the results.
//
// measure/internal/apart samples costly objects in parallel. So that sources do not serialize the
// two queries, the source local: on Linux has a second dispatcher for costly objects, and the
// source registry: a second session. Whether Windows serves two sessions of one process in parallel
// is untested.
