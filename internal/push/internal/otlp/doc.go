// Package otlp encodes metrics as export requests of the OpenTelemetry protocol
// (ExportMetricsServiceRequest of opentelemetry/proto/collector/metrics/v1), for the body of a POST
// to /v1/metrics or a gRPC message. It sends nothing.
//
// A counter becomes a monotonic, cumulative Sum whose start time is the start of its row's
// instance, if known. An additive gauge becomes a Sum that is not monotonic, another gauge a Gauge,
// an average a Summary without quantiles, and an info metric a Gauge of 1. Histograms do not occur.
// Labels become attributes; process.pid and cpu.logical_number are integers, as in the semantic
// conventions. The resource of [Options] is written once per request.
//
// Names lose _total at their end. A counter of windows_exporter whose name the receiver would change,
// because it has no _total or another total in it, keeps its name in a Sum that is not monotonic.
//
// Units are in UCUM: seconds as s, bytes as By, ratio as 1. A rate whose name has its unit has no
// other unit. A receiver that adds missing units and types to names, such as Prometheus, therefore
// gets the same names as from a scrape. Names of OpenTelemetry's semantic conventions have no
// _total and stay unchanged. Requests with such names have the URL of their schema.
//
// The start time of a counter without a known start is the time of the first Set, as OpenTelemetry's
// data model requires.
package otlp
