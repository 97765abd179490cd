// Package serve serves performance counters as metrics over HTTP, for Prometheus and all that
// reads what Prometheus reads.
//
// An Exporter is the http.Handler of one configuration over one source, for programs that have a
// server:
//
//	e, err := serve.New(ctx, src, serve.Options{})
//	...
//	defer e.Close()
//	http.Handle("/metrics", e)
//
// Run is a whole server: addresses, certificates, passwords, pages about itself, and a
// configuration that can be loaded again while it runs. ParseConfig reads that from YAML.
//
// # Scrapes
//
// Every scrape gets one sample of what was taken for it or, as long as it is fresh, for another one. A
// sampler takes one sample at a time (measure.Measurement); costly objects have a sampler of
// their own, beside. A view makes metrics of samples (metrics.Mapper) and keeps what that takes from one
// scrape to the next; there is one for each filter. One scrape at a time writes a view's metrics, to
// memory, from which all that came at the same time are answered; only what is longer than 8 MiB goes to the
// client as it is made, and the next waits, but not longer than it may.
//
// What does not come in the time that the scraper allows is left out and told. docs/serve.md of the
// project describes that, the metrics about the exporter and the bounds.
package serve
