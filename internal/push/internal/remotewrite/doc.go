// Package remotewrite encodes metrics as requests of Prometheus' remote write protocol, version 1.0
// and 2.0 (https://prometheus.io/docs/specs/prw/), for the body of a POST. It sends nothing.
//
// A sample of a metric becomes a series with the labels of its row and its column, and the labels
// of [Options]. These usually include job and instance, which the metrics lack. A summary becomes
// two series, whose names end in _sum and _count. Times are in milliseconds. Whole numbers over
// 2^53 are rounded, because the protocol has float64 only.
//
// Version 2.0 sends type, unit and help with each series, version 1.0 once, with the first samples
// of a metric. In 2.0 each sample of a counter has the counter's start time, if known.
package remotewrite
