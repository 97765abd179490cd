package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/perftest"
)

// windowsQueries are the metrics of windows_exporter's own dashboard as it queries them, each with the
// number of its 49 expressions that need the metric. JOB and HOST are label matchers.
var windowsQueries = []struct {
	query string
	uses  int
}{
	{`windows_os_hostname{JOB}`, 1},
	{`time() - windows_system_boot_time_timestamp{JOB}`, 2},
	{`windows_cpu_logical_processor{JOB}`, 2},
	{`windows_cpu_core_frequency_mhz{JOB}`, 1},
	{`irate(windows_cpu_time_total{JOB,mode="idle"}[2m])`, 4},
	{`windows_memory_physical_total_bytes{JOB}`, 3},
	{`windows_memory_physical_free_bytes{JOB} / windows_memory_physical_total_bytes{JOB}`, 4},
	{`windows_memory_physical_free_bytes{JOB}`, 1},
	{`windows_memory_commit_limit{JOB}`, 1},
	{`windows_memory_commit_limit{JOB} - windows_memory_committed_bytes{JOB}`, 1},
	{`windows_logical_disk_free_bytes{JOB,volume="C:"} / windows_logical_disk_size_bytes{JOB,volume="C:"}`, 1},
	{`windows_logical_disk_free_bytes{JOB,DISK} / windows_logical_disk_size_bytes{JOB,DISK}`, 3},
	{`windows_logical_disk_free_bytes{JOB,DISK}`, 1},
	{`windows_logical_disk_size_bytes{JOB,DISK}`, 1},
	{`irate(windows_logical_disk_read_bytes_total{JOB,DISK}[2m])`, 2},
	{`irate(windows_logical_disk_write_bytes_total{JOB,DISK}[2m])`, 2},
	{`irate(windows_logical_disk_reads_total{JOB,DISK}[2m])`, 2},
	{`irate(windows_logical_disk_writes_total{JOB,DISK}[2m])`, 2},
	{`windows_system_processes{JOB}`, 2},
	{`windows_system_threads{JOB}`, 1},
	{`irate(windows_system_exception_dispatches_total{JOB}[5m])`, 1},
	{`windows_service_state{JOB}`, 2},
	{`windows_os_info{JOB}`, 2},
	{`irate(windows_net_bytes_sent_total{JOB,NIC}[2m])`, 1},
	{`irate(windows_net_bytes_received_total{JOB,NIC}[2m])`, 2},
	{`irate(windows_net_bytes_sent_total{JOB,NIC}[5m]) > 0`, 1},
	{`irate(windows_net_bytes_total{JOB,NIC}[5m]) / windows_net_current_bandwidth_bytes{JOB,NIC}`, 1},
	{`irate(windows_net_packets_outbound_discarded_total{JOB,NIC}[5m])` +
		` + irate(windows_net_packets_outbound_errors_total{JOB}[5m])`, 1},
	{`irate(windows_net_packets_received_discarded_total{JOB,NIC}[5m])` +
		` + irate(windows_net_packets_received_errors_total{JOB}[5m])`, 1},
}

// withoutData returns the queries without data at any of the times.
func withoutData(t *testing.T, db *dbtest.Database, times ...time.Time) (missing []string, expressions int) {
	t.Helper()
	matchers := strings.NewReplacer("JOB", `job=~"winperf"`, "DISK", `volume!~"HarddiskVolume.*"`,
		"NIC", `nic!~'isatap.*|VPN.*'`)
	for _, q := range windowsQueries {
		has := slices.ContainsFunc(times, func(at time.Time) bool {
			got, err := db.QueryAt(matchers.Replace(q.query), at)
			if err != nil {
				t.Fatal(err)
			}
			return len(got) > 0
		})
		if has {
			expressions += q.uses
		} else {
			missing = append(missing, q.query)
		}
	}
	return missing, expressions
}

// TestWindowsDashboardLog: a log of Windows, converted under the names of windows_exporter, has data for
// the expressions of its dashboard, except services and the frequency of processors, which this log does not
// contain. It sends nothing.
func TestWindowsDashboardLog(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("no promtool: Debian has it in prometheus")
	}
	log := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	dir := t.TempDir()
	text, data := filepath.Join(dir, "log.om"), filepath.Join(dir, "data")
	run(t, "convert", log, "-o", text, "--quiet", "--names", "windows_exporter", "--physical-memory", "512M")
	blocks := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", text, data)
	if out, err := blocks.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	db := dbtest.PrometheusOf(t, data)
	var times []time.Time
	for at := time.Date(2007, 8, 14, 19, 42, 39, 0, time.UTC); len(times) < 9; at = at.Add(time.Minute) {
		times = append(times, at)
	}
	missing, expressions := withoutData(t, db, times...)
	want := []string{
		`windows_cpu_core_frequency_mhz{JOB}`, `windows_service_state{JOB}`,
		`irate(windows_net_bytes_sent_total{JOB,NIC}[5m]) > 0`,
	}
	if !slices.Equal(missing, want) || expressions != 45 {
		t.Errorf("%d expressions have data; without: %s", expressions, strings.Join(missing, "\n"))
	}

	got, err := db.QueryAt(`windows_os_info{version="6.0.6000",major_version="6",build_number="6000"}`, times[0])
	zone, zoneErr := db.QueryAt(`windows_time_timezone{timezone="Eastern Standard Time"}`, times[0])
	if err != nil || zoneErr != nil || len(got) != 1 || len(zone) != 1 {
		t.Errorf("system %v, zone %v of the log's header (%v, %v)", got, zone, err, zoneErr)
	}
}

// TestWindowsDashboardLinux: a Linux machine with a service of systemd and an interface with a bandwidth has
// data for the expressions of the dashboard, except for exceptions and volume C:. A machine whose
// processors have no frequency lacks this one, too.
func TestWindowsDashboardLinux(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := serveInProcess(t, ctx, "--names", "windows_exporter", "--path.sysfs", perftest.Sys(t))
	db := dbtest.PrometheusWith(t, t.TempDir(), fmt.Sprintf(`
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: winperf
    static_configs: [{targets: [%q]}]
`, strings.TrimPrefix(s.url, "http://")))

	allowed, enough := []string{
		`irate(windows_system_exception_dispatches_total{JOB}[5m])`,
		`windows_logical_disk_free_bytes{JOB,volume="C:"} / windows_logical_disk_size_bytes{JOB,volume="C:"}`,
	}, 47
	if text, _ := os.ReadFile("/proc/cpuinfo"); !strings.Contains(string(text), "cpu MHz") {
		allowed, enough = append(allowed, `windows_cpu_core_frequency_mhz{JOB}`), 46
	}

	var missing []string
	expressions := 0
	eventually(t, "data for the dashboard", func() bool {
		missing, expressions = withoutData(t, db, time.Now())
		return expressions >= enough
	})
	missing = slices.DeleteFunc(missing, func(q string) bool { return slices.Contains(allowed, q) })
	if len(missing) > 0 || expressions != enough {
		t.Errorf("%d expressions have data, want %d; without: %s", expressions, enough, strings.Join(missing, "\n"))
	}
}
