// Package datablock reads and writes the bytes of performance data blocks of
// HKEY_PERFORMANCE_DATA, version 1: PERF_DATA_BLOCK and the structures in it, as defined by
// winperf.h and the Learn page "Performance Data Format". Package perfdata represents
// blocks as values and as text.
//
// [Decode] checks all bytes once and fills an index for reading values in place. [Objects]
// and [CutObject] split a block into whole objects without decoding. [AppendHead] begins a
// block that is appended part by part without allocations.
//
// Blocks are untrusted. Every length, count and offset is checked before use, and damage
// discards as little as possible: the counter, the instance, the object, or the rest of the
// block. Decoding needs memory of a small multiple of the block's length. Each structure of
// an object is checked to be inside it.
//
// Package counter interprets the values.
package datablock

// Damage costs one allocation: a winperf.DataError holds the numbers compared, and its
// check, which is also the kind with its severity, formats the text on demand.
//
// A value that a provider did not write is marked as missing in the block: the object's
// header is 8 bytes longer than winperf.h's and has the offset of a bit map behind the
// values. Other readers skip both by the block's lengths. A value that may not be read is
// marked and replaced by ERROR_ACCESS_DENIED, so that captures and logs keep the status
// not_permitted.
