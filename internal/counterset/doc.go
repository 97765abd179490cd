// Package counterset is the codec of Perflib version 2: the blocks of Windows' PerfLib
// consumer functions, and the registration of counter sets (Microsoft Learn, "Using the
// PerfLib Functions to Consume Counter Data"; perflib.h; [MS-PCQ], which sends the same
// blocks).
//
// Windows does not check these blocks from providers or other machines, so this package
// checks every length, count, terminator and reference. An error contains the value and its
// byte offset, and wraps winperf.ErrBadData. A bad answer does not affect the others.
//
// [Decode] fills an index of a sample of winperf.FormatV2, without allocations after the
// first samples. [ParseData] and the other Parse functions decode blocks into structures;
// the Append functions encode them.
package counterset

// A sample of version 2 contains neither the query nor the machine: the identifiers of the
// query follow its bytes (winperf.FormatV2), and the Schema has the registration. Counter
// sets have no title indices; sources assign them numbers far above Windows', so that names
// and readings need no special case.
//
// The index refers to the system's bytes if all instances of an answer have the layout of
// the first one. Other answers are rewritten behind a copy.
