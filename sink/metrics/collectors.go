package metrics

import (
	"strings"

	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// CollectorOf returns a function that maps the English name of an object to the name of the
// collector of windows_exporter that reads it, or to "" if no collector reads it.
func CollectorOf() func(object string) string {
	t, err := tables.WindowsExporter()
	if err != nil {
		panic("metrics: " + err.Error()) // a test reads the tables
	}

	of := map[string]string{}
	for _, b := range t.Blocks {
		for _, o := range b.Objects {
			if name := strings.ToLower(o.Name); of[name] == "" {
				of[name] = b.Collector
			}
		}
	}
	return func(object string) string {
		name, _ := sqlObject(object)
		return of[strings.ToLower(name)]
	}
}
