// Package pdh is the source of live counters as the Performance Data Helper of Windows
// gives them (pdh.h; Microsoft Learn, "Using the PDH Functions to Consume Counter
// Data"): everything that typeperf and Performance Monitor can read, whichever kind of
// provider it comes from. It reads no logs.
//
// [Open] gives a winperf.Source whose samples hold PDH's raw values, with which
// readings are computed as everywhere else. With Options.Formatted its queries
// give the values that PDH computes.
package pdh
