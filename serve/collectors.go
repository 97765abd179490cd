package serve

import (
	"runtime"
	"time"

	"github.com/winperf/winperf/sink/metrics"
)

// likeWindowsExporter adds the metrics of windows_exporter about itself and its collectors, for a server that
// takes its place. Dashboards list hosts by these metrics, and alerts watch them.
func (b *builder) likeWindowsExporter(list []objectState) {
	c := b.self.collect(list)
	gauge := func(name, help string, column metrics.Column) {
		b.add("windows_exporter_"+name, metrics.Gauge, "", help, column)
	}

	build := b.self.fixed("windows_exporter_build_info", func() [][]metrics.Label {
		return [][]metrics.Label{{
			{Name: "goarch", Value: runtime.GOARCH}, {Name: "goos", Value: runtime.GOOS},
			{Name: "goversion", Value: runtime.Version()}, {Name: "version", Value: b.self.version},
		}}
	})
	gauge("build_info", "The program.", metrics.Column{Rows: build, Bits: []uint64{1}})

	rows := metrics.NewRows(oneLabel("collector", c.names), nil)
	gauge("collector_duration_seconds", "Duration of a collector.",
		metrics.Column{Rows: rows, Form: metrics.Ticks100ns, Bits: c.took})
	gauge("collector_success", "1 if a collector succeeded.", metrics.Column{Rows: rows, Bits: c.success})
	gauge("collector_timeout", "1 if a collector timed out.",
		metrics.Column{Rows: rows, Bits: make([]uint64, len(c.names))})
	gauge("scrape_duration_seconds", "Duration of the scrape.",
		metrics.Column{Rows: b.self.none, Form: metrics.Ticks100ns, Bits: []uint64{ticks(c.scrape)}})
}

// collectors are the collectors of windows_exporter that read some of the objects.
type collectors struct {
	names   []string
	took    []uint64 // in units of 100 ns, of the slowest object
	success []uint64 // 1 if the last sample has one of the objects
	scrape  time.Duration
}

// collect returns the collectors of objects.
func (o *self) collect(list []objectState) (c collectors) {
	if o.collector == nil {
		o.collector = metrics.CollectorOf()
	}

	at := map[string]int{}
	for _, s := range list {
		name := o.collector(s.Name)
		if name == "" {
			continue
		}
		i, there := at[name]
		if !there {
			i = len(c.names)
			at[name] = i
			c.names = append(c.names, name)
			c.took = append(c.took, 0)
			c.success = append(c.success, 0)
		}

		c.took[i] = max(c.took[i], ticks(s.took))
		if s.up {
			c.success[i] = 1
		}
		c.scrape = max(c.scrape, s.took)
	}
	return c
}

// ticks returns a duration in units of 100 ns.
func ticks(d time.Duration) uint64 { return uint64(max(0, d.Nanoseconds()/100)) }
