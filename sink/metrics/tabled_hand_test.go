package metrics

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/measure"
)

// byHand are values that windows_exporter would give of the sixth sample of a real log, made by hand from the
// raw values in the bytes of its blocks: times of 100 ns over 10^7, latencies over the frequency of the
// performance counter, 3579545, megabytes times 2^20, bits a second over 8.
const byHand = `
windows_cpu_time_total{core="0",mode="idle"} 1355.34375
windows_cpu_time_total{core="0",mode="user"} 279.5
windows_cpu_time_total{core="0",mode="privileged"} 668.0625
windows_cpu_time_total{core="0",mode="dpc"} 9.9375
windows_cpu_time_total{core="0",mode="interrupt"} 6.78125
windows_cpu_cstate_seconds_total{core="0",state="c2"} 282.6407596
windows_cpu_interrupts_total{core="0"} 2505494
windows_cpu_logical_processor{} 1
windows_logical_disk_read_bytes_total{volume="C:"} 1659335168
windows_logical_disk_reads_total{volume="C:"} 108843
windows_logical_disk_read_seconds_total{volume="C:"} 2796.7628
windows_logical_disk_idle_seconds_total{volume="C:"} 1525.8972
windows_logical_disk_read_latency_seconds_total{volume="C:"} 2796.76279974130784
windows_logical_disk_free_bytes{volume="C:"} 57134809088
windows_logical_disk_size_bytes{volume="C:"} 75989254144
windows_logical_disk_size_bytes{volume="HarddiskVolume1"} 4032823296
windows_physical_disk_write_bytes_total{disk="0"} 1064064000
windows_physical_disk_split_ios_total{disk="0"} 1035
windows_physical_disk_requests_queued{disk="0"} 1
windows_memory_available_bytes{} 222715904
windows_memory_commit_limit{} 1512824832
windows_memory_page_faults_total{} 3226517
windows_memory_physical_free_bytes{} 222715904
windows_net_current_bandwidth_bytes{nic="VIA Rhine II Fast Ethernet Adapter"} 1250000
windows_net_current_bandwidth{nic="VIA Rhine II Fast Ethernet Adapter"} 10000000
windows_process_cpu_time_total{process="explorer",process_id="1948",mode="user"} 22
windows_process_cpu_time_total{process="explorer",process_id="1948",mode="privileged"} 37.640625
windows_process_io_bytes_total{process="explorer",process_id="1948",mode="other"} 6833642
windows_process_pool_bytes{process="explorer",process_id="1948",pool="nonpaged"} 29072
windows_process_working_set_bytes{process="explorer",process_id="1948"} 14598144
windows_process_handles{process="explorer",process_id="1948"} 690
windows_process_start_time_seconds_timestamp{process="explorer",process_id="1948"} 1187118509
windows_process_info{creating_process_id="1880",process="explorer",process_id="1948"} 1
windows_process_cpu_time_total{process="Idle",process_id="0",mode="privileged"} 1355.34375
windows_system_context_switches_total{} 2925725
windows_system_system_calls_total{} 42319044
windows_system_processes{} 50
windows_system_threads{} 671
windows_system_boot_time_timestamp{} 1187118436.5
windows_tcp_segments_received_total{af="ipv4"} 37
windows_tcp_connections_reset_total{af="ipv4"} 5
windows_os_hostname{fqdn="ZACH-PC",hostname="ZACH-PC"} 1
windows_time_current_timestamp_seconds{} 1187120738.5994466
`

// TestValuesByHand compares a real log with what was computed without this program.
func TestValuesByHand(t *testing.T) {
	m := NewMapper(Options{Names: []Scheme{WindowsExporter}})
	var got []string
	eachCycle(t, filepath.Join(data(t), "blg", "PAL_SampleLog.blg"), 6, func(c *measure.Cycle) {
		got = lines(mapped(t, m, c.Frame, c.Names))
	})

	for want := range strings.Lines(strings.TrimSpace(byHand)) {
		if want = strings.TrimSpace(want); !slices.Contains(got, want) {
			series, _, _ := strings.Cut(want, "} ")
			others := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return !strings.HasPrefix(l, series) })
			t.Errorf("no %s, but %q", want, others)
		}
	}
	for _, l := range got {
		if strings.Contains(l, "_Total") {
			t.Errorf("%s is a total", l)
		}
	}
}
