// Package foreign is what cmd/libwinperf offers to programs in other languages: sources and
// snapshots by handles, operations that answer with codes, and results that are copied into
// memory of the caller. It has no C in it, so that it can be tested with Go's own tools.
//
// The operations are those of the data source for Windows of the Java Performance Measurement
// Framework: docs/jpmf.md in the project's root maps each of them. A snapshot is a measurement
// of one source; its steps prepare, sample and decode are those of package measure. What
// package foreign adds is below.
//
//   - Objects are named by handles, positive numbers that are not used again before 2^31
//     others were. A handle that is unknown, closed or of an object of another kind is
//     refused, by every operation.
//   - An operation of a snapshot exists twice. The plain one never waits: while another one is
//     under way on the same snapshot it is refused, where the two cannot go together. The safe
//     one waits for its turn. Browsing and reading values go together; prepare, sample, decode
//     and destroy are alone.
//   - What is returned in arrays has an operation that tells the size. An array that is too
//     small is refused with [TooSmall] and stays as it is; the number that it takes is told again.
//   - When instances came or left since the sample before, Decode prepares and samples again, a few times. If
//     they still change it returns [Anomaly]. The values are those of the last sample, computed since the last
//     complete cycle, however many samples Decode took.
package foreign
