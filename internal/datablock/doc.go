// Package datablock knows where each field of a performance data block of
// HKEY_PERFORMANCE_DATA stands, version 1: PERF_DATA_BLOCK and the structures in it,
// as winperf.h and the Learn page "Performance Data Format" define them. Package
// perfdata shows blocks as values and as text; this one works on their bytes.
//
// [Decode] checks all bytes once and fills an index through which values are read
// where they stand. To take over whole objects that is not needed: [Objects] and
// [CutObject] walk over a block by its lengths. [AppendHead] begins a block that is
// made piece by piece, sample after sample, without allocations.
//
// A block is untrusted. Every length, count and offset is checked before it is
// used, and a failure costs as little as it can: the counter, the instance, the
// object, or the rest of the block. The memory that decoding takes is a small
// multiple of the block's length. The walk over an object cannot leave it, because
// each structure is checked to be inside, so there is no separate check for that at
// its end.
//
// The package knows bytes. What the values of a counter mean is the business of
// package counter.
package datablock

// Choices worth knowing here:
//
// What a decoder finds costs one allocation: a winperf.DataError holds what was read and what
// it was compared with as numbers, and the check that it wraps puts them into words when
// somebody asks. The check is also the kind, with its severity.
//
// A value that a provider did not write is marked as missing in the block: the object's header
// is 8 bytes longer than winperf.h's and names a bit map behind the values. Readers that go by
// the block's lengths step over both. In the place of a value that may not be read stands
// ERROR_ACCESS_DENIED beside the mark, so that captures and logs keep the status
// not_permitted.
