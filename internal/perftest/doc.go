// Package perftest makes reference blocks: performance data blocks of fixed
// sizes, the same on every run, for benchmarks and for tests of how instances
// are matched while processes come and go.
//
// It writes bytes by itself and does not use the codec, so that the two can be
// tested against each other. [Walk] is a hand-written reader of the same
// bytes, the reference for the codec's speed.
//
// [Mutate] damages bytes at random, for tests that show that bad input costs
// itself; [Cases] repeats what it found.
package perftest
