// Package perftest generates performance data blocks of fixed sizes, with the same bytes on every
// run. They are for benchmarks and for tests of matching instances while processes start and end.
//
// The package encodes blocks without the codec, so that each tests the other. [Walk] is a
// hand-written reader of the same bytes, the reference for the codec's speed.
//
// [Mutate] damages bytes at random, for tests that damage affects only the damaged part; [Cases]
// repeats a failing round.
package perftest
