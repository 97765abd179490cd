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
// (datablock.AppendClocks).
//
// What has no value in a sample is marked as missing, not zero.
package pdhraw

// Choices worth knowing here:
//
// PDH tells a raw value with the clock or base that its formula needs; which of them belongs
// to a type counter.Type.Second knows. Live ones and those of logs become version 1 blocks
// (source/internal/pdhraw): a log's whole objects are such blocks, processes and threads have title
// indices there by which they are told apart, and a sample whose instances stay the same is a
// copy of the last one with new numbers (version 2 would name clock and frequency once for
// each value). What version 1 lacks is a clock for a single value: in a log values of one
// object that disagree are damage; live ones may differ, as counter sets may name clocks of
// their own, and then carry clock and frequency behind them (datablock.ValueClock).
