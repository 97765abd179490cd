// Package prometheus writes metrics as the text that Prometheus scrapes: the text
// format 0.0.4 ("Exposition formats" in the documentation of Prometheus) and
// OpenMetrics 1.0 (the specification of that name).
//
// An [Encoder] writes one Set after the other, each as a whole exposition, through
// one buffer of a fixed size. It keeps what does not change from Set to Set: the lines
// above a metric, and the labels of every instance, which are escaped once.
// Writing a value is then copying two texts and making a number, and allocates
// nothing. [Negotiate] tells which format a client asks for.
//
// [Backfill] writes a whole history, such as a log, as one OpenMetrics file.
//
// # What is escaped
//
// Backslashes, double quotes and line feeds of label values are escaped as both formats
// want them. Both are UTF-8: each byte that is part of no character is written as
// U+FFFD. A label whose value is empty is left out, which means the same to Prometheus.
//
// # What the two formats have
//
// The names of samples are the same in both. In the lines above them OpenMetrics has
// the name without _total and _info, and the unit where the name ends in it. Behind
// the samples of a counter or summary it has one that ends in _created, where it is
// known when that began (metrics.Rows.Created).
//
// A counter whose name does not end in _total is of the type unknown in OpenMetrics,
// which does not allow it. An info is a gauge of 1 in the text format, which has no such type.
package prometheus
