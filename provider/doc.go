// Package provider is the side that delivers counters. It is the Windows design in
// one process: providers deliver objects, and a dispatcher asks them and assembles a
// version 1 performance data block. (A program that publishes counters of its own for
// others to read needs only package provider/publish.)
//
// A [Provider] declares its objects, as an [Object] with its counters each, and is
// opened once. Its [Session] makes a [Layout] of each object and is then asked with a
// [Query] ("Global", "Costly", "2 230") any number of times: through a [Writer] it
// writes the objects that are wanted, instance by instance. Closing releases what it
// holds. [NewDispatcher] takes the providers, and [Dispatcher.Collect] makes a block.
//
// Providers run in this process, but each on a goroutine of its own and with bounds
// of its own: see [Dispatcher] for what becomes of one that fails. The blocks are
// those that consumers of HKEY_PERFORMANCE_DATA know (winperf.h; Microsoft Learn,
// "Performance Data Format").
//
// A value that a session did not write is marked as missing, it is never zero: the
// object's header is 8 bytes longer than winperf.h's and names a bit map behind each
// instance's values. Readers that go by the lengths in the block, as they must, step
// over both. One that may not be read ([ObjectWriter.Deny]) is marked so too, and in
// its place stands ERROR_ACCESS_DENIED.
package provider

// Choices worth knowing here:
//
// Providers write full layouts and leave out values that the query does not want, instead of
// a layout for each query: a block then always has the same definitions, which decoding and
// cooking recognise by their bytes.
