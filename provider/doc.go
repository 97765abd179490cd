// Package provider makes version 1 performance data blocks as Windows does, but in one process: providers
// supply objects, and a dispatcher calls them and assembles the block. A program that only publishes its
// own counters for others needs package provider/publish instead.
//
// A [Provider] declares its objects and their counters, as [Object] values, and is opened before use. Its
// [Session] makes a [Layout] of each object. For each [Query] ("Global", "Costly", "2 230") it writes the
// requested objects, instance by instance, through a [Writer]. [NewDispatcher] takes the providers, and
// [Dispatcher.Collect] makes a block.
//
// Each provider runs in a separate goroutine with limits: [Dispatcher] describes the handling of
// failures. Blocks have the format of HKEY_PERFORMANCE_DATA (winperf.h; Microsoft Learn, "Performance
// Data Format").
//
// A value that a session did not write is marked as missing and is never zero. For this, the object's
// header is 8 bytes longer than in winperf.h and has the offset of a bit map behind each instance's
// values. Readers that use the lengths in the block skip both. A value without permission
// ([ObjectWriter.Deny]) is marked, too, and contains ERROR_ACCESS_DENIED.
package provider

// Providers write the full layout and mark values that the query does not need as missing. A block always
// has the same definitions, which decoding and cooking recognise by their bytes.
