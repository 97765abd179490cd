package tables

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/metrics.md anew")

const (
	document = "../../../../docs/metrics.md"
	begins   = "-run Document -update -->\n"
	ends     = "<!-- end -->\n"
)

// TestDocument: docs/metrics.md says what is exposed where, as the tables have it.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(strings.ReplaceAll(string(text), "\r\n", "\n"), begins)
	was, tail, foundEnd := strings.Cut(rest, ends)
	if !found || !foundEnd {
		t.Fatalf("%s has no place for the tables", document)
	}

	now := tablesText(t)
	if now == was {
		return
	}
	if !*update {
		const how = "go test ./sink/metrics/internal/tables -run Document -update"
		t.Fatalf("%s is not what the tables say; write it by: %s", document, how)
	}
	if err := os.WriteFile(document, []byte(head+begins+now+ends+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tablesText are the tables of the document.
func tablesText(t *testing.T) string {
	windows, err := WindowsExporter()
	if err != nil {
		t.Fatal(err)
	}
	otel, err := OTel()
	if err != nil {
		t.Fatal(err)
	}
	linux := linuxCounters(t)

	var w strings.Builder
	w.WriteString("\n### Metrics from counters\n\n" +
		"winperf provides a metric if the source has its object and counter. The columns `metrics` and `on Linux` contain\n" +
		"the number of metrics on Windows and Linux.\n\n" +
		"| collector | objects | metrics | on Linux | not on Linux |\n| --- | --- | ---: | ---: | --- |\n")
	counterRows(&w, windows.Blocks, linux)

	w.WriteString("\n### Metrics from the machine\n\n" +
		"| metric | meaning | this Windows machine | this Linux machine | a log |\n" +
		"| --- | --- | --- | --- | --- |\n")
	factRows(t, &w, windows.Blocks)

	w.WriteString("\n### Missing metrics\n\n" +
		"winperf does not provide these metrics of windows_exporter, because they have no counter:\n\n" +
		"| metric | windows_exporter's source |\n| --- | --- |\n")
	for _, r := range rowsOf(windows.Blocks, Absent) {
		fmt.Fprintf(&w, "| `%s` | %s |\n", r.Metric, r.Counters[0])
	}
	w.WriteString("\nThese collectors are missing, too: " + outside + ".\n")

	w.WriteString("\n## The names of OpenTelemetry\n\n" +
		"With `names: [otel]` of a receiver, or `--push-names otel`, counters get the names, attributes and units of\n" +
		"OpenTelemetry's semantic conventions, version 1.43, if there is a matching metric. The names contain dots,\n" +
		"so only OTLP can send them. The resource is the machine, and attributes of each value identify processes.\n" +
		"The receiver `hostmetrics` of the collector (0.160) still uses older names for most system metrics: the attributes\n" +
		"`state`, `device` and `direction`, and the metrics `system.network.packets`, `dropped` and `connections`.\n\n" +
		"| metric | type | unit | attributes | object | Linux |\n| --- | --- | --- | --- | --- | --- |\n")
	otelRows(&w, otel.Blocks, linux)
	w.WriteString("\nThese metrics of the receiver are missing:\n\n" + receiverLacks)
	return w.String()
}

// receiverLacks are the metrics of the receiver hostmetrics 0.165 that the table does not have.
const receiverLacks = "| metric | reason |\n| --- | --- |\n" +
	"| `system.cpu.utilization`, `system.memory.utilization`, `process.cpu.utilization`, `process.memory.utilization` " +
	"| follow from the times, usages and limits |\n" +
	"| `system.cpu.physical.count`, `system.memory.page_size`, `system.memory.linux.hugepages.*` | no counter |\n" +
	"| `system.disk.io_time`, `system.disk.weighted_io_time` | the counters contain the idle time and the queue length |\n" +
	"| `system.disk.merged` | the counter has no direction |\n" +
	"| `system.network.conntrack.*`, `nfs.*` | no counter |\n" +
	"| `system.processes.count` by status | no counter |\n" +
	"| `process.context_switches`, `process.signals_pending` | no counter of processes |\n"

// outside are the collectors of which the tables have nothing.
const outside = "container, file, fsrmquota, license, mscluster, printer,\n" +
	"scheduled_task, textfile and update"

// linuxCounters are the counters of the Linux host by object, as docs/objects.md has them.
func linuxCounters(t *testing.T) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/objects.md")
	if err != nil {
		t.Fatal(err)
	}

	all := map[string]map[string]bool{}
	object, lacking := "", false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			object, lacking = name, false
			all[object] = map[string]bool{}
		}
		lacking = lacking || strings.HasPrefix(line, "Windows counters without")
		if cells := strings.Split(line, "|"); object != "" && !lacking && len(cells) > 3 {
			all[object][strings.TrimSpace(cells[1])] = true
		}
	}
	if !all["Memory"]["Available Bytes"] || all["Memory"]["Write Copies/sec"] {
		t.Fatal("docs/objects.md is not what it was")
	}
	return all
}

// onLinux reports whether an object of a block is there with the counters of a row.
func onLinux(b Block, r Row, linux map[string]map[string]bool) bool {
	return slices.ContainsFunc(b.Objects, func(o Object) bool {
		counters, there := linux[o.Name]
		return there && !slices.ContainsFunc(r.Counters, func(c string) bool { return !counters[c] && !counters[r.Else] })
	})
}

// counterRows writes a row for each collector.
func counterRows(w *strings.Builder, blocks []Block, linux map[string]map[string]bool) {
	var order []string
	objects, metrics := map[string][]string{}, map[string][]string{}
	for _, b := range blocks {
		if b.Kind != Counters {
			continue
		}
		if metrics[b.Collector] == nil {
			order = append(order, b.Collector)
		}
		for _, o := range b.Objects {
			objects[b.Collector] = with(objects[b.Collector], o.Name)
		}
		for _, r := range b.Rows {
			metrics[b.Collector] = with(metrics[b.Collector], r.Metric)
		}
	}

	for _, c := range order {
		given, missing := 0, ""
		for _, m := range metrics[c] {
			some, lacks := linuxLacks(blocks, m, linux)
			if some {
				given++
			}
			for _, l := range lacks {
				missing += " `" + strings.TrimPrefix(l, "windows_"+c+"_") + "`"
			}
		}
		if given == 0 {
			missing = " all"
		}
		fmt.Fprintf(w, "| %s | %s | %d | %d |%s |\n", c, strings.Join(objects[c], ", "), len(metrics[c]), given,
			missing)
	}
}

func with(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

// linuxLacks reports whether the Linux host gives any of a metric, and what of it it lacks.
func linuxLacks(blocks []Block, metric string, linux map[string]map[string]bool) (some bool, lacks []string) {
	for _, b := range blocks {
		for _, r := range b.Rows {
			switch {
			case r.Metric != metric:
			case b.Kind == Counters && onLinux(b, r, linux), b.Kind == Facts && given[r.Counters[0]][1] == "yes":
				some = true
			case b.Kind == Counters:
				lacks = append(lacks, metric+braces(r.Labels))
			}
		}
	}
	if !some {
		return false, []string{metric}
	}
	return true, slices.DeleteFunc(lacks, func(l string) bool { return l == metric }) // a fact stands in for it
}

func braces(labels []Pair) string {
	var parts []string
	for _, l := range labels {
		parts = append(parts, fmt.Sprintf("%s=%q", l.Name, l.Value))
	}
	if parts == nil {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// given says where a fact is known: live on Windows, live on Linux, in a record.
var given = map[string][3]string{
	"frequency at the start":   {"from counters", "yes, if no counter is requested", "from counters"},
	"processor package":        {"yes, without the label `family`", "yes", ""},
	"cores of a package":       {"yes", "yes", ""},
	"processors of a package":  {"yes", "yes", ""},
	"cache of a package":       {"yes", "yes", ""},
	"modified pages":           {"from counters", "yes", "from counters"},
	"interface":                {"yes", "yes", ""},
	"state of an interface":    {"yes", "yes", ""},
	"address of an interface":  {"yes", "yes", ""},
	"file system":              {"yes", "yes", ""},
	"read-only volume":         {"yes", "", ""},
	"physical disk":            {"yes", "yes", ""},
	"size of a disk":           {"yes", "yes", ""},
	"partitions of a disk":     {"yes", "yes", ""},
	"connections in a state":   {"yes", "yes, up to about 25,000 connections", ""},
	"temperature":              {"from counters", "yes", "from counters"},
	"offset of the clock":      {"from counters", "yes", "from counters"},
	"adjustment of the clock":  {"from counters", "yes", "from counters"},
	"source of the clock":      {"yes", "", ""},
	"time of the installation": {"yes", "", ""},
	"state of a service":       {"yes", "running services of systemd, with the state `running` only", ""},

	"logical processors":         {"from counters", "from counters", "from counters"},
	"physical memory":            {"yes", "yes", "if it contains NUMA Node Memory, or from `--physical-memory`"},
	"address space of a process": {"yes", "", ""},
	"the operating system":       {"yes", "yes", "the version in a binary log"},
	"names of the machine":       {"yes", "yes", "the name in the log"},
	"start of the machine":       {"from counters", "from counters", "from counters"},
	"limit of processes":         {"yes", "yes", ""},
	"time of the sample":         {"yes", "yes", "yes"},
	"name of the time zone":      {"yes", "yes", "the name in a binary log"},
}

func factRows(t *testing.T, w *strings.Builder, blocks []Block) {
	t.Helper()
	for _, r := range rowsOf(blocks, Facts) {
		where, known := given[r.Counters[0]]
		if !known {
			t.Errorf("%s: nothing says where %q is known", r.Metric, r.Counters[0])
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", r.Metric, r.Counters[0], where[0], where[1], where[2])
	}
}

func rowsOf(blocks []Block, kind Kind) (rows []Row) {
	for _, b := range blocks {
		if b.Kind == kind {
			rows = append(rows, b.Rows...)
		}
	}
	return rows
}

// otelRows writes a row for each metric.
func otelRows(w *strings.Builder, blocks []Block, linux map[string]map[string]bool) {
	seen := map[string]bool{}
	for _, b := range blocks {
		for _, r := range b.Rows {
			if seen[r.Metric] {
				continue
			}
			seen[r.Metric] = true
			object, where := "the machine itself", "yes"
			if b.Kind == Counters {
				object, where = b.Objects[0].Name, ""
				if onLinux(b, r, linux) {
					where = "yes"
				}
			}
			kind := map[byte]string{'C': "counter", 'I': "up-down counter", 'G': "gauge"}[r.Type]
			var attributes []string
			for _, l := range labelNames(b, r) {
				attributes = append(attributes, "`"+l+"`")
			}
			fmt.Fprintf(w, "| `%s` | %s | `%s` | %s | %s | %s |\n",
				r.Metric, kind, r.Unit, strings.Join(attributes, " "), object, where)
		}
	}
}
