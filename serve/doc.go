// Package serve serves performance counters as metrics over HTTP, for Prometheus and all that
// reads what Prometheus reads.
//
// An Exporter is the http.Handler of one configuration over one source:
//
//	e, err := serve.New(ctx, src, serve.Options{})
//	...
//	defer e.Close()
//	http.Handle("/metrics", e)
//
// The program's http.Server has the addresses, certificates and limits of connections. winperf serve is such
// a program.
//
// # Scrapes
//
// Every scrape gets one sample of what was taken for it or, as long as it is fresh, for another one. A
// sampler takes one sample at a time (measure.Measurement); costly objects have a sampler of
// their own, beside. A view makes metrics of samples (metrics.Mapper) and keeps what that takes from one
// scrape to the next; a filter has one for one scrape. One scrape at a time has the turn and writes its
// metrics to memory, compressed if they are long. Clients read them when others have the turn.
//
// What does not come in the time that the scraper allows is left out and told. docs/serve.md of the
// project describes that, the metrics about the exporter and the bounds.
package serve
