// Package serve serves performance counters as metrics over HTTP, for Prometheus and compatible
// programs.
//
// An Exporter is the http.Handler of one configuration and one source:
//
//	e, err := serve.New(ctx, src, serve.Options{})
//	...
//	defer e.Close()
//	http.Handle("/metrics", e)
//
// Addresses, certificates and connection limits are settings of the program's http.Server. winperf
// serve is such a program.
//
// # Scrapes
//
// Each scrape takes one sample. Concurrent scrapes, and scrapes within 10 ms of each other, share
// the same sample. Costly objects are sampled independently. One scrape at a time maps its sample to
// metrics and writes them to memory. Clients read the answers in parallel. Long answers are compressed
// in memory.
//
// Objects that are not ready before the scraper's timeout are omitted and reported. docs/serve.md
// describes the timeouts, the limits and the metrics about the exporter.
package serve
