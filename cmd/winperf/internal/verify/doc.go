// Package verify compares the counters of this machine that can be read in several ways, and checks
// the interfaces that winperf reads.
//
// A reader is one way to read counters: a driver such as the registry, or a program of the system such
// as vmstat. Its answer is a [Look]. One reader is the base. Each other reader is asked between two
// looks of the base: gauges and totals must be between both, and rates, which each reader computes over
// its own clock, must be possible for some moments between them. All looks can be stored in a bundle
// and compared again on any system ([Replay]).
package verify
