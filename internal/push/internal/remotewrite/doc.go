// Package remotewrite writes metrics as requests of Prometheus' remote write protocol,
// version 1.0 and 2.0 (https://prometheus.io/docs/specs/prw/): what is to be the body
// of a POST. It sends nothing.
//
// A sample of a metric becomes a series with the labels of its row, of its column, and those of
// [Options], among them usually job and instance, which the metrics themselves do not have. A
// summary becomes two series, whose names end in _sum and _count. Times are in
// milliseconds. Whole numbers over 2^53 are rounded, as the protocol has float64 only.
//
// Type, unit and help go along: in 2.0 with each series, in 1.0 once, with the first
// samples of a metric. In 2.0 each sample of a counter tells when that began, where it is known.
package remotewrite
