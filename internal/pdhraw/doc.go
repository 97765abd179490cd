// Package pdhraw makes performance data blocks of version 1 (winperf.h) out of
// what PDH keeps: raw values of single counters and of arrays of instances
// (PDH_RAW_COUNTER of pdh.h), and blocks of one object each. So what a log holds,
// or a live query of PDH gives, is decoded and cooked by the same code as any
// other sample.
//
// A raw value of PDH carries the clock or base that its formula needs
// (counter.Type.Second). In the block it becomes the counter, its base behind it,
// and the clocks of the head. Where the objects of one sample were not taken at
// one time, those that differ from the head get clocks of their own
// (perfdata.ObjectClocks).
//
// What has no value in a sample is marked as missing, not zero.
package pdhraw
