// Package metrics converts samples of performance counters to metrics for monitoring systems. The
// metrics have names in the style of Prometheus or OpenTelemetry, base units, labels in place of
// instances, and raw values from which rates are computed.
//
//	m := metrics.NewMapper(metrics.Options{})
//	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{FramesOnly: true}) {
//		...
//		set, err := m.Map(cycle.Frame, cycle.Names)
//	}
//
// A [Mapper] converts each sample to a [Set], which package prometheus writes as text. It makes no
// system calls.
//
// # Values
//
// A metric has the raw value of its counter, in base units. The monitoring system computes the
// displayed value over any period. [Expression] returns the PromQL expression for the displayed
// value. In it, x is the beginning of the metric names of the counter:
//
//	types                                 metrics and expression
//	RAWCOUNT and DOUBLE_RAW types         x
//	                                      x
//	COUNTER, BULK_COUNT, SAMPLE_COUNTER   x_total
//	                                      rate(x_total)
//	DELTA                                 x_total
//	                                      increase(x_total)
//	TIMER, 100NSEC_TIMER, OBJ_TIME_TIMER  x_seconds_total
//	                                      100 * rate(x_seconds_total)
//	TIMER_INV, 100NSEC_TIMER_INV          x_inactive_seconds_total
//	                                      100 * (1 - rate(x_inactive_seconds_total))
//	MULTI_TIMER, 100NSEC_MULTI_TIMER      x_seconds_total, x_components
//	                                      100 * rate(x_seconds_total) / x_components
//	MULTI_TIMER_INV, also 100NSEC         x_inactive_seconds_total, x_components
//	                                      100 * (x_components - rate(x_inactive_seconds_total))
//	QUEUELEN types                        x_queue_seconds_total
//	                                      rate(x_queue_seconds_total)
//	RAW_FRACTION, LARGE_RAW_FRACTION      x_numerator, x_denominator
//	                                      100 * x_numerator / x_denominator
//	SAMPLE_FRACTION                       x_hits_total, x_samples_total
//	                                      100 * rate(x_hits_total) / rate(x_samples_total)
//	AVERAGE_TIMER                         x_seconds, a summary
//	                                      rate(x_seconds_sum) / rate(x_seconds_count)
//	AVERAGE_BULK                          x, a summary
//	                                      rate(x_sum) / rate(x_count)
//	PRECISION timers                      x_seconds_total, x_base_seconds_total
//	                                      100 * rate(x_seconds_total) / rate(x_base_seconds_total)
//	ELAPSED_TIME                          x_start_time_seconds
//	                                      time() - x_start_time_seconds
//	TEXT                                  x_info with the label text
//
// A base becomes part of the metrics of its counter. NODATA, HISTOGRAM and unknown types have no
// metrics.
//
// If a cumulative counter of 4 bytes passes 2^32 and becomes smaller, its metric continues beyond
// 2^32, as long as the instance is known to be the same. If a count of a known instance falls
// otherwise, by less than half or of a running process, the metric keeps its value. Any other
// decrease is a restart of the counter, as in Prometheus.
//
// Raw counts with KB, MB, ms or another unit in their names are converted to base units, and
// percentages to ratios. Raw counts that are known never to decrease (Packets Received Errors) are
// counters. A value that a sample lacks is absent, never 0.
//
// # Names
//
// winperf's own names consist of winperf and the names of object and counter in snake case, and end
// with the base unit, which replaces words of the counter: \LogicalDisk(*)\Free Megabytes is
// winperf_logical_disk_free_bytes. They are made from the English names, independently of the
// system's language, and conform to OpenMetrics. If two counters of an object would have the same
// name, one of them gets it. The names of the others keep the replaced words, and get a number if
// they are still equal. The choice depends only on the units, names, types and title indices of the
// counters, not on their order.
//
// A value that a sample contains several times is one series: the same value in other units
// (Available Bytes and MBytes), the ids in labels (ID Process), and the counters of Objects that
// System has. A path without wildcards selects such a counter, too.
//
// # Labels
//
// An instance has the labels name and parent. Processes also have pid, and threads pid and tid. For
// threads whose name is only their position, name is omitted. Of several instances with equal
// labels, the second gets the label index="1", the third index="2", and so on. Objects of SQL
// Server have sql_instance. After the first sample with several machines, all instances have the
// label machine. Totals (_Total) are omitted, so that sums over a metric are correct, unless
// [Options] select them or a path names them. The labels instance and job are not used, because
// Prometheus sets them. The exceptions are Options.Home and Generic.InstanceLabel.
//
// # Names of other programs
//
// [WindowsExporter] selects exactly the names, types and labels of windows_exporter, [OTel] the
// names, types and labels of OpenTelemetry's semantic conventions. [Facts] are values that no
// counter provides. [Set.TextOnly] is true for names of windows_exporter. Names of OpenTelemetry
// contain dots and can only be sent as OTLP.
//
// # Rows
//
// A process with the name and process id of an earlier process has the same labels. [Rows.Created]
// returns its start time, which distinguishes the two.
package metrics
