package metrics

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// product is an object of testdata/products.txt: an instance with its labels, and metrics.
type product struct {
	object, instance, labels string
	metrics                  [][]string // counter, metric, type, conversion, labels
}

// products reads the objects that have counters.
func products(t *testing.T) (all []product) {
	t.Helper()
	text, err := os.ReadFile("internal/tables/testdata/products.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\r\n", "\n")) {
		line = strings.TrimSpace(line)
		fields := append(strings.Split(strings.Trim(line, "[]"), "|"), "", "", "")
		switch {
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "|"), line == "[]":
		case strings.HasPrefix(line, "["):
			all = append(all, product{object: fields[0], instance: fields[1], labels: fields[2]})
		default:
			last := &all[len(all)-1]
			last.metrics = append(last.metrics, append(strings.Split(line, "|"), "", "")[:5])
		}
	}
	return all
}

// made makes the object. Its instance has the values 1000, 2000 and so on; another instance is 0.
func (p *product) made() made {
	m := made{name: p.object}
	var values, others []string
	for _, row := range p.metrics {
		if slices.ContainsFunc(m.counters, func(c string) bool { return strings.HasPrefix(c, row[0]+" PERF") }) {
			continue
		}
		m.counters = append(m.counters, row[0]+" "+p.counterType(row))
		values, others = append(values, strconv.Itoa(1000*(len(values)+1))), append(others, "0")
		if p.counterType(row) == "PERF_AVERAGE_TIMER" {
			m.counters = append(m.counters, "base PERF_AVERAGE_BASE")
			values, others = append(values, "1"), append(others, "1")
		}
	}

	m.rows = []string{strings.Join(values, " ")}
	if p.instance != "" {
		other := "_Total: "
		if p.instance == "_Total" {
			other = "0: "
		}
		m.rows = []string{other + strings.Join(others, " "), p.instance + ": " + m.rows[0]}
	}
	return m
}

func (p *product) counterType(row []string) string {
	switch {
	case row[3] == "seconds" && strings.HasSuffix(row[0], "Queue Length"):
		return "PERF_COUNTER_100NS_QUEUELEN_TYPE"
	case row[3] == "seconds":
		return "PERF_AVERAGE_TIMER"
	case row[2] == "C":
		return "PERF_COUNTER_BULK_COUNT"
	}
	return "PERF_COUNTER_LARGE_RAWCOUNT"
}

// value is the value of a metric whose counter is raw.
func (p *product) value(row []string, raw float64) float64 {
	factor, _ := strconv.ParseFloat(strings.TrimLeft(row[3], "*/"), 64)
	switch {
	case p.counterType(row) == "PERF_AVERAGE_TIMER":
		return raw / 3579545
	case row[3] == "seconds":
		return raw / 1e7
	case strings.HasPrefix(row[3], "/"):
		return raw / factor
	case strings.HasPrefix(row[3], "*"):
		return raw * factor
	}
	return raw
}

// TestProducts: each metric of the collectors for server roles, products and graphics processors has
// the labels and the value that windows_exporter gives it.
func TestProducts(t *testing.T) {
	all, count := products(t), 0
	for _, p := range all {
		m := p.made()
		f, n := block(t, at0, m)
		got := map[string]string{}
		for _, line := range lines(mapped(t, NewMapper(Options{Names: []Scheme{WindowsExporter}}), f, n)) {
			at := strings.LastIndex(line, " ")
			got[line[:at]] = line[at+1:]
		}

		values := strings.Fields(m.rows[len(m.rows)-1][strings.LastIndex(m.rows[len(m.rows)-1], ":")+1:])
		for _, row := range p.metrics {
			at := slices.IndexFunc(m.counters, func(c string) bool { return strings.HasPrefix(c, row[0]+" PERF") })
			raw, err := strconv.ParseFloat(values[at], 64)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s{%s}", row[1], withLabel(row[4], p.labels))
			value, err := strconv.ParseFloat(got[name], 64)
			if want := p.value(row, raw); err != nil || math.Abs(value-want) > 1e-9*want {
				t.Errorf("%s is %q, want %v of %s", name, got[name], want, row[0])
			}
			delete(got, name)
			count++
		}
		for name := range got {
			if !strings.HasPrefix(name, "windows_os_") && !strings.HasPrefix(name, "windows_cs_") &&
				!strings.HasPrefix(name, "windows_time_") {
				t.Errorf("%s is not windows_exporter's", name)
			}
		}
	}
	if len(all) != 30 || count != 314 {
		t.Errorf("%d metrics of %d objects", count, len(all))
	}
}

// withLabel adds a label, NAME=VALUE, after others.
func withLabel(label, others string) string {
	name, value, some := strings.Cut(label, "=")
	if !some {
		return others
	}
	return fmt.Sprintf("%s,%s=%q", others, name, value)
}

// TestProductNames: names of instances from which labels are taken, and instances without metrics.
func TestProductNames(t *testing.T) {
	queue := func(object, counter string, rows ...string) made {
		return made{object, []string{counter + " PERF_COUNTER_LARGE_RAWCOUNT"}, rows, ""}
	}
	got := windowsLines(t, Options{},
		queue("MSExchange ADAccess Processes", "LDAP Timeout Errors/sec", "W3wp: 1", "W3wp: 2"),
		queue("RemoteFX Network", "FEC rate", "console: 1", "Services: 2", "RDP-Tcp 1: 3"),
		queue("SMB Client Shares", "Credit Stalls/sec", "odd: 1", `\a\b\c: 2`),
		queue("GPU Adapter Memory", "Dedicated Usage", "luid: 1", "luid_1: 2", "phys_4: 3"))
	want := []string{
		`windows_exchange_ldap_timeout_errors_total{name="w3wp"} 1`,
		`windows_exchange_ldap_timeout_errors_total{name="w3wp_2"} 2`,
		`windows_remote_fx_net_fec_rate{session_name="RDP-Tcp 1"} 3`,
		`windows_smbclient_stalls_total{server="a",share="b\\c"} 2`,
		`windows_gpu_adapter_memory_dedicated_bytes{} 1`,
		`windows_gpu_adapter_memory_dedicated_bytes{luid="1"} 2`,
		`windows_gpu_adapter_memory_dedicated_bytes{phys="4"} 3`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestProcessOwnerByProcess: without user ids the owner is found by the id of the process, once for each process.
func TestProcessOwnerByProcess(t *testing.T) {
	process := made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT"}, []string{"a: 4", "b: 8", "c: 12"}, ""}
	var asked []uint64
	owners := func(id uint64) string {
		asked = append(asked, id)
		return map[uint64]string{4: `NT AUTHORITY\SYSTEM`, 12: `SHOP\anna`}[id]
	}
	mapper := NewMapper(Options{Names: []Scheme{WindowsExporter}, Owner: owners})
	want := []string{`windows_process_info{owner="NT AUTHORITY\\SYSTEM",process="a",process_id="4"} 1`,
		`windows_process_info{process="b",process_id="8"} 1`,
		`windows_process_info{owner="SHOP\\anna",process="c",process_id="12"} 1`}
	first, table := blockText(at0, process)
	n := names(t, table)
	for _, f := range frames(t, first, strings.Replace(first, "perftime=1000000", "perftime=2000000", 1)) {
		if got := lines(mapped(t, mapper, f, n), "windows_process_info"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !slices.Equal(asked, []uint64{4, 8, 12}) {
		t.Errorf("owners of %v", asked)
	}

	ids := made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT", "User ID PERF_COUNTER_RAWCOUNT"},
		[]string{"a: 4 0"}, ""}
	got := windowsLines(t, Options{Owner: owners}, ids)
	if want := []string{`windows_process_info{process="a",process_id="4"} 1`}; !slices.Equal(got, want) {
		t.Errorf("with user ids %q, want %q", got, want)
	}
}

// TestProcessCommandLine: a process has its command line only on request, and only if it is known.
func TestProcessCommandLine(t *testing.T) {
	process := made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT"}, []string{"a: 4", "b: 8"}, ""}
	commands := func(id uint64) string { return map[uint64]string{8: `b "x" \y`}[id] }
	for _, opt := range []Options{{CommandLine: commands}, {}} {
		want := []string{`windows_process_info{process="a",process_id="4"} 1`,
			`windows_process_info{cmdline="b \"x\" \\y",process="b",process_id="8"} 1`}
		if opt.CommandLine == nil {
			want[1] = `windows_process_info{process="b",process_id="8"} 1`
		}
		if got := windowsLines(t, opt, process); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestProcessOwner: the owner of a process is the user with its id, if the name is known; the group is an id.
func TestProcessOwner(t *testing.T) {
	process := made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT", "User ID PERF_COUNTER_RAWCOUNT",
		"Process Group ID PERF_COUNTER_RAWCOUNT"}, []string{"a: 4 0 4", "b: 8 33 7"}, ""}
	users := func(id uint64) string { return map[uint64]string{33: "www-data"}[id] }
	for _, opt := range []Options{{UserName: users}, {}} {
		got := windowsLines(t, opt, process)
		want := []string{`windows_process_info{process="a",process_group_id="4",process_id="4"} 1`,
			`windows_process_info{owner="www-data",process="b",process_group_id="7",process_id="8"} 1`}
		if opt.UserName == nil {
			want[1] = `windows_process_info{process="b",process_group_id="7",process_id="8"} 1`
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
