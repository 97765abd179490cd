package tables

import (
	"slices"
	"strings"
	"testing"
)

// golden are the metrics that every Windows machine has under windows_exporter's names, written down
// from its documentation and not from the tables: name, type, labels, and values that the last of them has.
const golden = `
cpu
windows_cpu_time_total|C|core mode|idle user privileged interrupt dpc
windows_cpu_cstate_seconds_total|C|core state|c1 c2 c3
windows_cpu_interrupts_total|C|core
windows_cpu_dpcs_total|C|core
windows_cpu_clock_interrupts_total|C|core
windows_cpu_idle_break_events_total|C|core
windows_cpu_parking_status|G|core
windows_cpu_core_frequency_mhz|G|core
windows_cpu_processor_performance_total|C|core
windows_cpu_processor_mperf_total|C|core
windows_cpu_processor_utility_total|C|core
windows_cpu_processor_privileged_utility_total|C|core
windows_cpu_processor_rtc_total|C|core
windows_cpu_logical_processor|G|

logical_disk
windows_logical_disk_info|G|disk type volume volume_name filesystem serial_number
windows_logical_disk_readonly|G|volume
windows_logical_disk_requests_queued|G|volume
windows_logical_disk_avg_read_requests_queued|G|volume
windows_logical_disk_avg_write_requests_queued|G|volume
windows_logical_disk_read_bytes_total|C|volume
windows_logical_disk_write_bytes_total|C|volume
windows_logical_disk_reads_total|C|volume
windows_logical_disk_writes_total|C|volume
windows_logical_disk_split_ios_total|C|volume
windows_logical_disk_read_seconds_total|C|volume
windows_logical_disk_write_seconds_total|C|volume
windows_logical_disk_idle_seconds_total|C|volume
windows_logical_disk_read_latency_seconds_total|C|volume
windows_logical_disk_write_latency_seconds_total|C|volume
windows_logical_disk_read_write_latency_seconds_total|C|volume
windows_logical_disk_free_bytes|G|volume
windows_logical_disk_size_bytes|G|volume

physical_disk
windows_physical_disk_requests_queued|G|disk
windows_physical_disk_read_bytes_total|C|disk
windows_physical_disk_write_bytes_total|C|disk
windows_physical_disk_reads_total|C|disk
windows_physical_disk_writes_total|C|disk
windows_physical_disk_split_ios_total|C|disk
windows_physical_disk_read_seconds_total|C|disk
windows_physical_disk_write_seconds_total|C|disk
windows_physical_disk_idle_seconds_total|C|disk
windows_physical_disk_read_latency_seconds_total|C|disk
windows_physical_disk_write_latency_seconds_total|C|disk
windows_physical_disk_read_write_latency_seconds_total|C|disk

memory
windows_memory_available_bytes|G|
windows_memory_cache_bytes|G|
windows_memory_cache_bytes_peak|G|
windows_memory_committed_bytes|G|
windows_memory_commit_limit|G|
windows_memory_free_and_zero_page_list_bytes|G|
windows_memory_modified_page_list_bytes|G|
windows_memory_standby_cache_core_bytes|G|
windows_memory_standby_cache_normal_priority_bytes|G|
windows_memory_standby_cache_reserve_bytes|G|
windows_memory_pool_nonpaged_bytes|G|
windows_memory_pool_paged_bytes|G|
windows_memory_pool_paged_resident_bytes|G|
windows_memory_pool_nonpaged_allocs_total|G|
windows_memory_pool_paged_allocs_total|C|
windows_memory_system_cache_resident_bytes|G|
windows_memory_system_code_resident_bytes|G|
windows_memory_system_code_total_bytes|G|
windows_memory_system_driver_resident_bytes|G|
windows_memory_system_driver_total_bytes|G|
windows_memory_free_system_page_table_entries|G|
windows_memory_page_faults_total|C|
windows_memory_cache_faults_total|C|
windows_memory_demand_zero_faults_total|C|
windows_memory_transition_faults_total|C|
windows_memory_transition_pages_repurposed_total|C|
windows_memory_write_copies_total|C|
windows_memory_swap_page_reads_total|C|
windows_memory_swap_page_writes_total|C|
windows_memory_swap_pages_read_total|C|
windows_memory_swap_pages_written_total|C|
windows_memory_swap_page_operations_total|C|
windows_memory_physical_total_bytes|G|
windows_memory_physical_free_bytes|G|
windows_memory_process_memory_limit_bytes|G|

net
windows_net_nic_info|G|nic friendly_name mac
windows_net_nic_operation_status|G|nic status
windows_net_nic_address_info|G|nic address family
windows_net_bytes_received_total|C|nic
windows_net_bytes_sent_total|C|nic
windows_net_bytes_total|C|nic
windows_net_packets_received_total|C|nic
windows_net_packets_sent_total|C|nic
windows_net_packets_total|C|nic
windows_net_packets_received_errors_total|C|nic
windows_net_packets_received_discarded_total|C|nic
windows_net_packets_received_unknown_total|C|nic
windows_net_packets_outbound_errors_total|C|nic
windows_net_packets_outbound_discarded_total|C|nic
windows_net_current_bandwidth_bytes|G|nic
windows_net_output_queue_length_packets|G|nic

process
windows_process_cpu_time_total|C|process process_id mode|user privileged
windows_process_io_bytes_total|C|process process_id mode|read write other
windows_process_io_operations_total|C|process process_id mode|read write other
windows_process_page_faults_total|C|process process_id
windows_process_working_set_bytes|G|process process_id
windows_process_working_set_peak_bytes|G|process process_id
windows_process_working_set_private_bytes|G|process process_id
windows_process_private_bytes|G|process process_id
windows_process_virtual_bytes|G|process process_id
windows_process_page_file_bytes|G|process process_id
windows_process_pool_bytes|G|process process_id pool|paged nonpaged
windows_process_handles|G|process process_id
windows_process_threads|G|process process_id
windows_process_priority_base|G|process process_id
windows_process_start_time_seconds_timestamp|G|process process_id
windows_process_info|G|process process_id creating_process_id process_group_id owner cmdline

system
windows_system_context_switches_total|C|
windows_system_exception_dispatches_total|C|
windows_system_system_calls_total|C|
windows_system_processor_queue_length|G|
windows_system_processes|G|
windows_system_threads|G|
windows_system_processes_limit|G|
windows_system_boot_time_timestamp|G|

tcp
windows_tcp_connections_state_count|G|af state
windows_tcp_connections_active_total|C|af
windows_tcp_connections_passive_total|C|af
windows_tcp_connections_reset_total|C|af
windows_tcp_connection_failures_total|C|af
windows_tcp_connections_established|G|af
windows_tcp_segments_total|C|af
windows_tcp_segments_received_total|C|af
windows_tcp_segments_sent_total|C|af
windows_tcp_segments_retransmitted_total|C|af

udp
windows_udp_datagram_no_port_total|C|af
windows_udp_datagram_received_errors_total|C|af
windows_udp_datagram_sent_total|C|af
windows_udp_datagram_received_total|G|af

pagefile
windows_pagefile_limit_bytes|G|file
windows_pagefile_free_bytes|G|file

thermalzone
windows_thermalzone_temperature_celsius|G|name
windows_thermalzone_percent_passive_limit|G|name
windows_thermalzone_throttle_reasons|G|name

time
windows_time_computed_time_offset_seconds|G|
windows_time_ntp_round_trip_delay_seconds|G|
windows_time_ntp_client_time_sources|G|
windows_time_clock_frequency_adjustment|G|
windows_time_clock_frequency_adjustment_ppb|G|
windows_time_ntp_server_incoming_requests_total|C|
windows_time_ntp_server_outgoing_responses_total|C|
windows_time_current_timestamp_seconds|G|
windows_time_timezone|G|timezone
windows_time_clock_sync_source|G|type

cpu_info
windows_cpu_info|G|architecture device_id description family name
windows_cpu_info_core|G|device_id
windows_cpu_info_enabled_core|G|device_id
windows_cpu_info_logical_processor|G|device_id
windows_cpu_info_thread|G|device_id
windows_cpu_info_l2_cache_size|G|device_id
windows_cpu_info_l3_cache_size|G|device_id

diskdrive
windows_diskdrive_info|G|device_id model caption name
windows_diskdrive_size|G|name
windows_diskdrive_partitions|G|name

service
windows_service_state|G|name state

os
windows_os_info|G|product version major_version minor_version build_number revision installation_type
windows_os_hostname|G|hostname domain fqdn
windows_os_install_time_timestamp_seconds|G|
`

// goldenLegacy are the names that versions before dropped and dashboards ask for.
const goldenLegacy = `
cs
windows_cs_physical_memory_bytes|G|
windows_cs_logical_processors|G|
windows_cs_hostname|G|hostname domain fqdn

os
windows_os_visible_memory_bytes|G|
windows_os_physical_memory_free_bytes|G|
windows_os_virtual_memory_bytes|G|
windows_os_virtual_memory_free_bytes|G|
windows_os_processes|G|
windows_os_time|G|
windows_os_timezone|G|timezone
windows_os_paging_limit_bytes|G|
windows_os_paging_free_bytes|G|

system
windows_system_system_up_time|G|
windows_system_boot_time_timestamp_seconds|G|

net
windows_net_current_bandwidth|G|nic

process
windows_process_start_time|G|process process_id
`

// TestGolden: the tables have exactly the metrics that the golden lists have of their collectors, with
// type, names of labels, and the values that tell the rows of one metric apart.
func TestGolden(t *testing.T) {
	now, err := WindowsExporter()
	if err != nil {
		t.Fatal(err)
	}
	legacy, err := Legacy()
	if err != nil {
		t.Fatal(err)
	}
	compareGolden(t, golden, now.Blocks)
	compareGolden(t, goldenLegacy, legacy.Blocks)
}

func compareGolden(t *testing.T, list string, blocks []Block) {
	t.Helper()
	for text := range strings.SplitSeq(strings.TrimSpace(list), "\n\n") {
		collector, want, _ := strings.Cut(text, "\n")
		got := goldenRows(blocks, collector)
		for row := range strings.SplitSeq(want, "\n") {
			if at := slices.Index(got, sortedLabels(row)); at < 0 {
				t.Errorf("%s: %s is missing", collector, row)
			} else {
				got = slices.Delete(got, at, at+1)
			}
		}
		for _, row := range got {
			t.Errorf("%s: %s is not in the list", collector, row)
		}
	}
}

// goldenRows are the metrics of a collector, each once, as rows of a golden list.
func goldenRows(blocks []Block, collector string) (rows []string) {
	values := map[string][]string{}
	for _, b := range blocks {
		if b.Collector != collector || b.Kind == Absent {
			continue
		}
		for _, r := range b.Rows {
			row := r.Metric + "|" + string(r.Type) + "|" + strings.Join(labelNames(b, r), " ")
			if !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
			if b.Kind == Counters && len(r.Labels) > 0 {
				values[row] = append(values[row], r.Labels[len(r.Labels)-1].Value)
			}
		}
	}

	for i, row := range rows {
		if vs := values[row]; len(vs) > 0 {
			slices.Sort(vs)
			rows[i] += "|" + strings.Join(vs, " ")
		}
	}
	return rows
}

// sortedLabels is a row of a golden list with its labels and their values in alphabetical order.
func sortedLabels(row string) string {
	f := strings.Split(row, "|")
	for i := 2; i < len(f); i++ {
		words := strings.Fields(f[i])
		slices.Sort(words)
		f[i] = strings.Join(words, " ")
	}
	return strings.Join(f, "|")
}
