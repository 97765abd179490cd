// Package consumer is the source of counter sets of Perflib version 2, which
// Windows reads through the PerfLib consumer functions (perflib.h; Microsoft
// Learn, "Using the PerfLib Functions to Consume Counter Data"). Providers of
// version 1, such as that of processes, cannot be reached through it.
//
// [Open] gives a winperf.Source. [consumer] has the functions themselves, with
// what they need: growing buffers, checks, and errors that say what was asked.
//
// Counter sets have no title indices. The source gives them some, from
// [firstTitle] on, in the order in which it meets the sets: they hold for as long
// as the source is open.
package consumer
