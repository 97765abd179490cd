package serve

import (
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/winperf/winperf/sink/metrics"
)

// likeWindowsExporter adds the metrics of windows_exporter about itself and its collectors, for a server that
// takes its place. Dashboards list hosts by these metrics, and alerts watch them. enabled are its collectors;
// nil enables all.
func (b *builder) likeWindowsExporter(list []objectState, enabled []string) {
	c := b.self.collect(list, enabled)
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
	gauge("collector_success", "1 if a collector succeeded.", metrics.Column{Rows: rows, Bits: c.success})
	gauge("collector_timeout", "1 if a collector timed out.",
		metrics.Column{Rows: rows, Bits: make([]uint64, len(c.names))})
	gauge("scrape_duration_seconds", "Duration of the scrape.",
		metrics.Column{Rows: b.self.none, Form: metrics.Ticks100ns, Bits: []uint64{ticks(c.scrape)}})
}

// DefaultCollectors are the collectors that windows_exporter enables by default.
var DefaultCollectors = []string{
	"cpu", "memory", "logical_disk", "physical_disk", "net", "os", "service", "system",
}

// customCollector is the collector of Config.Counters.
const customCollector = "performancecounter"

// enabledCollectors returns the collectors that a scrape may request.
func (c *Config) enabledCollectors() []string {
	if c.Collectors != nil {
		return c.Collectors
	}
	all := slices.Concat(slices.Collect(maps.Keys(metrics.CollectorObjects())), DefaultCollectors)
	return append(all, customCollector)
}

// collectors are collectors of windows_exporter and their results.
type collectors struct {
	names   []string
	success []uint64 // 1 if the last sample has one of the objects
	scrape  time.Duration
}

// collect returns the enabled collectors, or the collectors of the listed objects if all are enabled.
// Collectors that read no objects succeed.
func (o *self) collect(list []objectState, enabled []string) (c collectors) {
	o.readCollectors()
	at := map[string]int{}
	add := func(name string, success bool) {
		i, there := at[name]
		if !there {
			i = len(c.names)
			at[name] = i
			c.names, c.success = append(c.names, name), append(c.success, 0)
		}
		if success {
			c.success[i] = 1
		}
	}

	for _, s := range list {
		name := o.collector(s.Name)
		if name == "" {
			continue
		}
		if enabled == nil || slices.Contains(enabled, name) {
			add(name, s.up)
		}
		c.scrape = max(c.scrape, s.took)
	}
	for _, name := range enabled {
		if reads, known := o.reads[name]; known {
			add(name, !reads)
		}
	}
	return c
}

// readCollectors reads the tables of collectors once.
func (o *self) readCollectors() {
	if o.collector != nil {
		return
	}
	o.collector = metrics.CollectorOf()
	o.reads = map[string]bool{customCollector: false}
	for name, objects := range metrics.CollectorObjects() {
		own := func(object string) bool { return o.collector(object) == name }
		o.reads[name] = slices.ContainsFunc(objects, own)
	}
}

// ticks returns a duration in units of 100 ns.
func ticks(d time.Duration) uint64 { return uint64(max(0, d.Nanoseconds()/100)) }
