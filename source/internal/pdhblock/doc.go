// Package pdhblock makes performance data blocks of version 1 (winperf.h) out of
// what PDH keeps: raw values of single counters and of arrays of instances
// (PDH_RAW_COUNTER of pdh.h), and blocks of one object each. So what a log holds
// is decoded and cooked by the same code as a live sample.
//
// A raw value of PDH carries the clock or base that its formula needs. In the
// block it becomes the counter, its base behind it, and the clocks of the
// head. Where the objects of one sample were not taken at one time, those that
// differ from the head get clocks of their own (perfdata.ObjectClocks).
//
// What has no value in a sample is marked as missing, not zero. Names get title
// indices: those that Windows gives them where a reader of samples depends on
// them or the log tells them, else numbers from 1,000,000 on.
package pdhblock
