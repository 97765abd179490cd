// Package pdhraw builds performance data blocks of version 1 (winperf.h) from PDH data: raw values
// of single counters and of arrays of instances (PDH_RAW_COUNTER of pdh.h), and blocks of one
// object each. The samples of logs and of live PDH queries are then decoded and computed like all
// others.
//
// A raw PDH value carries the clock or base that its formula needs (counter.Type.Second). In the
// block it becomes the counter, its base after it, and the clocks of the head. If the objects of a
// sample have different times, objects that differ from the head carry separate clocks
// (datablock.AppendClocks).
//
// Counters without a value in a sample are marked as missing, not as zero.
package pdhraw

// Design:
//
// PDH stores with each raw value the clock or base that its formula needs; counter.Type.Second says
// which of the two a type has. Blocks are of version 1 because the whole objects in logs are such
// blocks, because processes and threads have known title indices there, and because a sample with
// unchanged instances is a copy of the last one with new numbers (version 2 would repeat clock and
// frequency for each value). Version 1 has no clock for a single value. In a log, values of one
// object with different clocks are damage. In live queries they are valid, because counter sets may
// define separate clocks; clock and frequency then follow the value (datablock.ValueClock).
