// Package prometheus writes metrics in the formats that Prometheus scrapes: its text format 0.0.4
// ("Exposition formats" in its documentation) and OpenMetrics 1.0.
//
// An [Encoder] writes each Set as a whole exposition, through one buffer of a fixed size. It caches
// the lines above a metric and the escaped labels of every instance. Encoding a value then copies
// two texts, formats a number and allocates nothing. [Negotiate] returns the format that a client
// requests.
//
// [Backfill] writes a history, such as a log, as one OpenMetrics file.
//
// # Escaping
//
// Backslashes, double quotes and line feeds in label values are escaped as both formats require.
// The output is UTF-8: a byte that belongs to no character becomes U+FFFD. Labels with empty values
// are omitted, which means the same to Prometheus.
//
// # Differences of the formats
//
// Samples have the same names in both formats. In the lines above them, OpenMetrics omits _total
// and _info, and has the unit if the name ends with it. With [Options].Created a counter or summary
// also has a sample that ends in _created, if its start is known (metrics.Rows.Created).
//
// A counter whose name does not end in _total, and a gauge whose name does, have the type unknown in
// OpenMetrics, which does not allow them. The text format has no type for an info; it is a gauge of 1.
package prometheus
