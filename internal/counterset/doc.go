// Package counterset is the codec of Perflib version 2: the blocks that the
// PerfLib consumer functions of Windows take and give, and the registration
// information of counter sets (Microsoft Learn, "Using the PerfLib Functions to
// Consume Counter Data"; perflib.h; [MS-PCQ], which sends the same blocks).
//
// Windows does not check what providers, or other machines, put into these
// blocks, so this package does: every length, count, terminator and reference.
// An error says what was read and at which byte offset, and wraps
// winperf.ErrBadData. One bad answer costs itself; the others are served.
//
// [Decode] lays an index over a sample of winperf.FormatV2, allocating nothing
// once warm. [ParseData] and the other Parse functions take blocks apart into
// structures; the Append functions put them together again.
package counterset

// Choices worth knowing here:
//
// A sample of version 2 does not say what was asked, nor of which machine: behind the bytes
// that PerfQueryCounterData gave stand the identifiers of the query (winperf.FormatV2), and
// the Schema has the registration information. Counter sets have no title indices; a source
// gives them some, far above those of Windows, so that names and readings take one way for
// all.
//
// The index of a version 2 sample points into the bytes as the system gave them, as long as
// all values of an answer stand in the places that those of its first instance have. An answer
// that is laid out otherwise is written anew behind a copy.
