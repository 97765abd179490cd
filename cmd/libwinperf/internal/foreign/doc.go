// Package foreign implements the functions of cmd/libwinperf for programs in other languages: sources and
// snapshots with handles, operations that return codes, and results that are copied to memory of the
// caller. It contains no C, so that Go's tools can test it.
//
// The operations are the ones of the data source for Windows of the Java Performance Measurement
// Framework: docs/jpmf.md maps each of them. A snapshot is a measurement of one source; prepare, sample
// and decode are the steps of package measure. In addition:
//
//   - Handles are positive numbers. A number is reused only after 2^31 others. Each operation refuses
//     a handle that is unknown, closed or of an object of another kind.
//   - Each operation of a snapshot has two forms. The plain form never waits: it is refused while an
//     operation that excludes it runs on the same snapshot. The safe form waits. Browsing and reading
//     values can run in parallel; prepare, sample, decode and destroy run alone.
//   - Each operation that fills an array has another operation that returns its size. An array that is
//     too small is left unchanged and refused with [TooSmall] and the needed size.
//   - If instances have changed since the previous sample, Decode prepares and samples again, a few
//     times. If they still change it returns [Anomaly]. The values always belong to the last sample
//     and are computed since the last complete cycle.
package foreign
