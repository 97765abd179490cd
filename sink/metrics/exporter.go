package metrics

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// Exporter is what a server that stands in for windows_exporter knows about itself and one
// scrape. Dashboards list hosts by these metrics, and alerts watch them.
type Exporter struct {
	// The program, and what it was made with: "1.2.0", a commit, a branch, "go1.26", "windows",
	// "amd64", build tags.
	Version, Revision, Branch, GoVersion, OS, Arch, Tags string
	// Scrape is how long the sample took.
	Scrape time.Duration
	// Collectors are the parts that gave metrics, or should have.
	Collectors []Collection
}

// Collection is what one collector did. CollectorOf tells which one an object belongs to.
type Collection struct {
	Name   string
	Took   time.Duration
	Failed bool // it gave nothing
	Late   bool // it was not waited for
}

// Families are the metrics, under the names that windows_exporter gives them.
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
		gauge("collector_duration_seconds", "How long a collector took.", Ticks100ns, rows, took),
		gauge("collector_success", "1 where a collector gave what it has.", Whole, rows, success),
		gauge("collector_timeout", "1 where a collector was late.", Whole, rows, late),
		gauge("scrape_duration_seconds", "How long the scrape took.", Ticks100ns, unlabelled,
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

// CollectorOf returns what tells the collector of windows_exporter that reads an object, by its
// English name; "" for an object that none reads.
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
