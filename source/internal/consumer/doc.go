// Package consumer is the source of counter sets of Perflib version 2. Windows reads them through
// the PerfLib consumer functions (perflib.h; Microsoft Learn, "Using the PerfLib Functions to
// Consume Counter Data"). Providers of version 1, such as the provider of Process, are not
// available there.
//
// [Open] returns a winperf.Source. [consumer] calls the functions, grows buffers, and checks
// answers.
//
// Counter sets have no title indices. The source assigns them, from [firstTitle] on, in the order
// in which it finds the sets. They are valid while the source is open.
package consumer
