// Package otlp writes metrics as export requests of the OpenTelemetry protocol
// (ExportMetricsServiceRequest of opentelemetry/proto/collector/metrics/v1): what is to be
// the body of a POST to /v1/metrics, or a message of gRPC. It sends nothing.
//
// A counter becomes a monotonic, cumulative Sum, whose start time is when what its row stands
// for began, where that is known; an additive gauge a Sum that is not monotonic, and any other a Gauge;
// an average a Summary without quantiles; an info metric a Gauge of 1. There are no histograms. Labels
// become attributes, process.pid and cpu.logical_number integers, as the semantic conventions have them; what
// [Options] says of the resource stands once.
//
// A name loses _total at its end, and its unit is written as UCUM has it: seconds as s, bytes as
// By, ratio as 1. A rate has no unit except the one in its name. So a receiver that adds unit and type
// to names which lack them, as Prometheus does, has the same names as from a scrape. The names of
// OpenTelemetry's semantic conventions have no _total, and stay as they are.
package otlp
