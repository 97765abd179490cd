package metrics

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// Exporter describes a server that replaces windows_exporter, and one scrape of it. Dashboards list
// hosts by its metrics, and alerts check them.
type Exporter struct {
	// The program and its build: "1.2.0", a commit, a branch, "go1.26", "windows", "amd64", build
	// tags.
	Version, Revision, Branch, GoVersion, OS, Arch, Tags string
	// Scrape is the duration of the sample.
	Scrape time.Duration
	// Collectors are the requested collectors.
	Collectors []Collection
}

// Collection is the result of one collector. CollectorOf returns the collector of an object.
type Collection struct {
	Name   string
	Took   time.Duration
	Failed bool // it returned nothing
	Late   bool // it exceeded the timeout
}

// Families returns the metrics, named like those in windows_exporter.
func (e *Exporter) Families() []Family {
	var names [][]Label
	var took, success, late []uint64
	for _, c := range e.Collectors {
		names = append(names, []Label{{"collector", c.Name}})
		took = append(took, ticksOf(c.Took))
		success = append(success, boolBit(!c.Failed))
		late = append(late, boolBit(c.Late))
	}
	rows := NewRows(names, nil)

	const begin = "windows_exporter_"
	gauge := func(name, help string, form Form, rows *Rows, bits []uint64) Family {
		return Family{Name: begin + name, Help: help, Columns: []Column{{Rows: rows, Form: form, Bits: bits}}}
	}
	return []Family{
		gauge("build_info", "The program.", Whole, e.buildRows(), []uint64{1}),
		gauge("collector_duration_seconds", "Duration of a collector.", Ticks100ns, rows, took),
		gauge("collector_success", "1 if a collector succeeded.", Whole, rows, success),
		gauge("collector_timeout", "1 if a collector timed out.", Whole, rows, late),
		gauge("scrape_duration_seconds", "Duration of the scrape.", Ticks100ns, unlabelled,
			[]uint64{ticksOf(e.Scrape)}),
	}
}

func (e *Exporter) buildRows() *Rows {
	ls := []Label{
		{"branch", e.Branch}, {"goarch", e.Arch}, {"goos", e.OS}, {"goversion", e.GoVersion},
		{"revision", e.Revision}, {"tags", e.Tags}, {"version", e.Version},
	}
	ls = slices.DeleteFunc(ls, func(l Label) bool { return l.Value == "" })
	slices.SortFunc(ls, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	return NewRows([][]Label{ls}, nil)
}

func ticksOf(d time.Duration) uint64 { return uint64(max(0, d.Nanoseconds()/100)) }

func boolBit(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// CollectorOf returns a function that maps the English name of an object to the collector of
// windows_exporter that reads it, or to "".
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
