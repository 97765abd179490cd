// Package metrics turns samples of performance counters into metrics as
// monitoring systems know them: named, in base units, with labels in place of
// instances, and with the raw values that their rates are computed of.
//
//	m := metrics.NewMapper(metrics.Options{})
//	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{FramesOnly: true}) {
//		...
//		set, err := m.Map(cycle.Frame, cycle.Names)
//	}
//
// A [Mapper] makes a [Set] of each sample. Package prometheus writes it as text. The mapping is pure
// and keeps nothing of a system.
//
// # Values
//
// Counters stay counters: the raw value as the system keeps it, in base units. So
// rate of it is what winperf displays, over whatever time one asks for. [Expression]
// returns the expression of PromQL that gives the displayed value, x being the name of the
// counter:
//
//	types                                 metrics and expression
//	RAWCOUNT, DOUBLE_RAW and such         x
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
//	MULTI_TIMER_INV, and of 100NSEC       x_inactive_seconds_total, x_components
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
// Bases are part of their counters' metrics. Headings, histograms and unknown types
// become none.
//
// Counts of 4 bytes are continued over 2^32 as long as the instance is known to be the
// same; what fell otherwise began again, as Prometheus takes it. Raw counts of KB,
// MB, ms and so on are converted, as their names say, and percentages become ratios. Some
// raw counts are known never to fall (Packets Received Errors) and are counters.
// A value that a sample lacks is absent, never 0.
//
// # Names
//
// Winperf's own names are winperf, object and counter in snake case, with the base unit
// once, at the end: \LogicalDisk(*)\Free Megabytes is winperf_logical_disk_free_bytes.
// They come from the English names, whatever the language of the system, and are fit
// for OpenMetrics. Where two counters of an object would have one name the first has it,
// the others have all words of theirs, and a number where even that is the same
// (winperf_memory_available_mbytes_bytes). Which is the first depends on
// names, types and units only.
//
// # Labels
//
// An instance has the labels name and parent; processes and threads have pid and tid, and
// threads no name where that is only their position. What is left with labels that
// another one has gets an index, from 1 for the second. Instances of SQL Server have
// sql_instance. As soon as one sample holds objects of several machines, all instances
// have the label machine, from then on. Totals (_Total) are left out unless Options ask for
// them or a path names one, so that sums over a metric are right. No label is called
// instance or job, which Prometheus sets itself, but for instance where Options have a Home.
//
// # Names of other programs
//
// [WindowsExporter] are the names, types and labels of windows_exporter, exactly, and
// [OTel] those of OpenTelemetry's semantic conventions. [Facts] are what no counter tells. Sets
// with names of windows_exporter are [Set.TextOnly]; those of OpenTelemetry have dots,
// so that only OTLP can write them.
//
// # Rows
//
// A process that begins under the name and process id of another one has the same
// labels; Rows.Created tells when it began.
package metrics
