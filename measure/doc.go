// Package measure is the measurement loop: it takes samples of a selection of
// counters, decodes them and computes readings.
//
// # The simple case
//
// [Get] reads counters once:
//
//	readings, err := measure.Get(ctx, src, `\System\Processes`)
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
// A [Measurement] works in three steps. Prepare does everything that can be done
// beforehand. Sample is the only step that touches the measured system; it
// takes the raw data and nothing else, allocates nothing and waits for no lock
// that another step can hold. Decode does the rest: it indexes the sample,
// matches instances with those of the sample before and cooks the counters that
// were asked for. A step out of order is refused with an error that names state
// and operation; a step that fails leaves the Measurement ready for Prepare.
//
// Package experiment/sensor measures several sources at the same moment.
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
// source gives, which changes when another instance of the same name ends. What a
// path names keeps the name by which that found it, whatever the source calls it later.
// Rules give other names (see [NameRule] and [ByNameAndPID]), and Series.Key
// tells an instance from all others there ever were.
package measure

// Where what stands: measurement.go and decode.go are the three steps, state.go says which
// may follow which, and watch*.go are the loop over them. plan*.go find out what is wanted of
// a frame (by object in plan_object.go) and make its columns; notes*.go tell what was unusual.
// cycle.go and columns.go are the results. internal/schedule decides when samples are due.
//
// Choices worth knowing here:
//
// A measurement's state is one word that operations exchange, so that none waits for another:
// what comes out of order is refused. Readers share a lock with Decode only; Sample takes
// none.
//
// Costly objects are sampled beside the others by a query around two (measure/internal/apart): what
// is sampled beside, when, and what becomes of it is decided there, once, for contexts,
// Watch and every command; above it they are a part of the sample like any other. So
// that sources do not make the others wait all the same, local: on Linux has a second
// dispatcher for them and the registry a second session. Sessions share nothing that changes:
// the provider of the Linux host holds only what makes a root, and each session has one of its
// own. Whether Windows lets two sessions of one process through at once could not be tried.
// Which objects are costly a source may tell without its whole schema (Description.Costly),
// because to list all counter sets of a Windows machine takes long.
