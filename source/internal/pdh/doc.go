// Package pdh is the source of live counters of the Performance Data Helper of Windows (pdh.h;
// Microsoft Learn, "Using the PDH Functions to Consume Counter Data"). It can read every counter
// that typeperf and Performance Monitor can read, from all kinds of providers. It reads no logs.
//
// [Open] returns a winperf.Source. Its samples hold PDH's raw values, and readings are computed as
// for other sources. With Options.Formatted, samples hold the values that PDH computes.
package pdh
