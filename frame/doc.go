// Package frame holds decoded samples and computes displayable values from
// pairs of them.
//
// A [Frame] is one sample: the bytes as a system gave them, with an index over
// objects, counters and instances. It comes from a [Pool], is filled by a
// query, decoded once, and does not change after. Whoever holds it can read it
// for as long as he likes; Release gives its memory back to the pool.
//
// A [Cooker] takes an older and a newer frame, finds the instances that are
// the same thing in both, and cooks counters column by column. An instance is
// the same when its identity says so, not its name or position: process id and
// start time where the object has them, then unique id, then the full name
// where it is unique, and as a last resort name and occurrence, marked as
// unverified.
//
// Where the system time was set between two frames of a source that can tell
// ([winperf.ClocksTogether]), counters that are divided by it take the time that the
// performance counter tells.
package frame
