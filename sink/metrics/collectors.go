package metrics

import (
	"regexp"
	"slices"
	"strings"

	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// LabelFilter selects the instances of a collector of windows_exporter by a label, such as nic of the
// collector net. The expressions are unanchored; nil does not restrict. The label disk is compared with the
// whole name of the instance.
type LabelFilter struct {
	Collector, Label string
	Include, Exclude *regexp.Regexp
}

func (f *LabelFilter) passes(text string) bool {
	if f.Include != nil && !f.Include.MatchString(text) {
		return false
	}
	return f.Exclude == nil || !f.Exclude.MatchString(text)
}

// filtersOf returns the filters of a block.
func filtersOf(all []LabelFilter, b *tables.Block) []LabelFilter {
	return slices.DeleteFunc(ofCollector(all, b.Collector), func(f LabelFilter) bool {
		return !slices.ContainsFunc(b.Labels, func(l tables.Label) bool { return l.Name == f.Label })
	})
}

// ofCollector returns the filters of a collector.
func ofCollector(all []LabelFilter, collector string) (some []LabelFilter) {
	for _, f := range all {
		if f.Collector == collector {
			some = append(some, f)
		}
	}
	return some
}

// passAll reports whether labels pass the filters. Labels without the label of a filter pass it.
func passAll(filters []LabelFilter, labels []Label) bool {
	return !slices.ContainsFunc(filters, func(f LabelFilter) bool {
		return slices.ContainsFunc(labels, func(l Label) bool { return l.Name == f.Label && !f.passes(l.Value) })
	})
}

// enabled reports whether a collector is in a list, or the list is nil. The former collector cs belongs to
// os, which replaced it.
func enabled(collectors []string, name string) bool {
	if name == "cs" {
		name = "os"
	}
	return collectors == nil || slices.Contains(collectors, name)
}

// CollectorObjects returns the English names of the objects that each collector of windows_exporter reads.
// Collectors without metrics are missing; collectors that read no objects have an empty list. A name
// SQLServer:… also means the objects of named instances of SQL Server.
func CollectorObjects() map[string][]string {
	objects := map[string][]string{}
	for _, b := range windowsBlocks(&Options{}) {
		if b.Kind != tables.Counters && b.Kind != tables.Facts || b.Collector == "cs" {
			continue
		}
		list := objects[b.Collector]
		for _, o := range b.Objects {
			if !slices.Contains(list, o.Name) {
				list = append(list, o.Name)
			}
		}
		objects[b.Collector] = list
	}
	return objects
}

// CollectorOf returns a function that maps the English name of an object to the name of the
// collector of windows_exporter that reads it, or to "" if no collector reads it.
func CollectorOf() func(object string) string {
	of := map[string]string{}
	for _, b := range windowsBlocks(&Options{NoLegacy: true}) {
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

// windowsBlocks returns the tables of windows_exporter's names. It panics on damaged built-in tables,
// which a test reads.
func windowsBlocks(opt *Options) []tables.Block {
	s, err := newWindowsExporter(opt)
	if err != nil {
		panic("metrics: " + err.Error())
	}
	return s.blocks
}
