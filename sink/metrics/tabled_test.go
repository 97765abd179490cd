package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// made is an object of a block that a test makes.
type made struct {
	name string
	// "Page Faults/sec PERF_COUNTER_COUNTER"; "base PERF_RAW_BASE" behind the counter that has it
	counters []string
	// rows are instances, "NAME: VALUE...", or for an object without instances the values.
	rows []string
	// elapsed are the time and the frequency of the object's own clock, as words of a text block.
	clock string
}

// block makes blocks of objects, and their names.
func block(t testing.TB, head string, objects ...made) (frame.Frame, *nametable.Names) {
	t.Helper()
	text, table := blockText(head, objects...)
	return frames(t, text)[0], names(t, table)
}

// blockText is the text of a block, and the names in it by title index.
func blockText(head string, objects ...made) (string, map[uint32]string) {
	text, table := new(strings.Builder), map[uint32]string{}
	title := func(name string) uint32 {
		at := uint32(len(table)*2 + 2)
		table[at] = name
		return at
	}

	text.WriteString(head)
	for _, o := range objects {
		single := len(o.rows) == 1 && !strings.Contains(o.rows[0], ":")
		form := ""
		if single {
			form = "form=single "
		}
		fmt.Fprintf(text, "object %d %s%s\n", title(o.name), form, o.clock)
		last := uint32(0)
		for _, c := range o.counters {
			at := strings.LastIndexByte(c, ' ')
			if name := c[:at]; name != "base" {
				last = title(name)
			}
			fmt.Fprintf(text, " counter %d %s\n", last, c[at+1:])
		}
		for _, r := range o.rows {
			if single {
				fmt.Fprintf(text, " values : %s\n", r)
				continue
			}
			at := strings.LastIndexByte(r, ':')
			fmt.Fprintf(text, " instance %q :%s\n", r[:at], r[at+1:])
		}
	}
	return text.String(), table
}

// windowsLines are the lines of one block under the names of windows_exporter, without the
// metrics that are of no object.
func windowsLines(t testing.TB, opt Options, objects ...made) (got []string) {
	t.Helper()
	if opt.Names == nil {
		opt.Names = []Scheme{WindowsExporter}
	}
	f, n := block(t, at0, objects...)
	set := mapped(t, NewMapper(opt), f, n)
	unique(t, set)
	var families []string
	for _, f := range set.Families {
		if f.Object != "" {
			families = append(families, f.Name)
		}
	}
	if families == nil {
		return nil
	}
	return lines(set, families...)
}

// unique checks that names are there once, and so are labels of one name.
func unique(t testing.TB, set *Set) {
	t.Helper()
	names, keys := map[string]bool{}, map[string]bool{}
	for i := range set.Families {
		f := &set.Families[i]
		if names[f.Name] {
			t.Errorf("two families %s", f.Name)
		}
		names[f.Name] = true
		for _, c := range f.Columns {
			for r := range c.Rows.Len() {
				ls := slices.Concat(c.Rows.Labels(r), c.Extra)
				slices.SortFunc(ls, func(a, b Label) int { return strings.Compare(a.Name, b.Name) })
				key := fmt.Sprintf("%s%s%q", f.Name, c.Suffix, ls)
				if keys[key] {
					t.Errorf("%s stands there twice", key)
				}
				keys[key] = true
				for l := range ls[:max(0, len(ls)-1)] {
					if ls[l].Name == ls[l+1].Name {
						t.Errorf("%s has a label twice", key)
					}
				}
			}
		}
	}
}

// TestTableConversions: what a table makes of raw values, by hand.
func TestTableConversions(t *testing.T) {
	for _, tt := range []struct {
		object made
		want   []string
	}{
		{made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT",
			"Page Faults/sec PERF_COUNTER_COUNTER"},
			[]string{"83587072 1613340"}, ""}, []string{
			"windows_memory_available_bytes{} 83587072",
			"windows_memory_page_faults_total{} 1613340",
			"windows_memory_physical_free_bytes{} 83587072",
			"windows_os_physical_memory_free_bytes{} 83587072",
		}},
		{made{"LogicalDisk", []string{
			"% Free Space PERF_RAW_FRACTION", "base PERF_RAW_BASE", "Free Megabytes PERF_COUNTER_RAWCOUNT",
			"% Idle Time PERF_PRECISION_100NS_TIMER", "base PERF_PRECISION_TIMESTAMP",
			"Avg. Disk sec/Read PERF_AVERAGE_TIMER", "base PERF_AVERAGE_BASE",
			"Avg. Disk Read Queue Length PERF_COUNTER_100NS_QUEUELEN_TYPE",
		}, []string{"C:: 54488 72469 54488 12500000 99 7159090 2 25000000"}, ""}, []string{
			`windows_logical_disk_avg_read_requests_queued{volume="C:"} 2.5`,
			`windows_logical_disk_free_bytes{volume="C:"} 57134809088`,
			`windows_logical_disk_size_bytes{volume="C:"} 75989254144`,
			`windows_logical_disk_idle_seconds_total{volume="C:"} 1.25`,
			`windows_logical_disk_read_latency_seconds_total{volume="C:"} 2`, // 7159090 / 3579545
		}},
		{made{"Network Interface", []string{"Current Bandwidth PERF_COUNTER_LARGE_RAWCOUNT"},
			[]string{"eth: 1000000004"}, ""},
			[]string{
				`windows_net_current_bandwidth_bytes{nic="eth"} 125000000.5`,
				`windows_net_current_bandwidth{nic="eth"} 1000000004`,
			}},
		{made{"Processor Information", []string{
			"% Processor Performance PERF_AVERAGE_BULK", "base PERF_AVERAGE_BASE", "% User Time PERF_100NSEC_TIMER",
		}, []string{"0,0: 12345678901 4294967295 15000000", "0,1: 1 2 3", "_Total: 7 7 7", "0,_Total: 7 7 7"},
			""}, []string{
			`windows_cpu_time_total{core="0,0",mode="user"} 1.5`,
			`windows_cpu_time_total{core="0,1",mode="user"} 3e-07`,
			`windows_cpu_processor_performance_total{core="0,0"} 12345678901`,
			`windows_cpu_processor_performance_total{core="0,1"} 1`,
			`windows_cpu_processor_mperf_total{core="0,0"} 4294967295`,
			`windows_cpu_processor_mperf_total{core="0,1"} 2`,
			`windows_cpu_logical_processor{} 2`,
			`windows_cs_logical_processors{} 2`,
		}},
		{made{"Thermal Zone Information", []string{"High Precision Temperature PERF_COUNTER_RAWCOUNT"},
			[]string{`\_TZ.TZ00: 3132`}, ""},
			[]string{`windows_thermalzone_temperature_celsius{name="\\_TZ.TZ00"} 40.0500000000000114`}},
		{made{"Windows Time Service", []string{"Computed Time Offset PERF_COUNTER_LARGE_RAWCOUNT"},
			[]string{"1500"}, ""},
			[]string{`windows_time_computed_time_offset_seconds{} 0.00150000000000000003`}},
		{made{"APP_POOL_WAS", []string{"Current Application Pool State PERF_COUNTER_RAWCOUNT"},
			[]string{"shop: 3"}, ""}, []string{
			`windows_iis_current_application_pool_state{app="shop",state="Uninitialized"} 0`,
			`windows_iis_current_application_pool_state{app="shop",state="Initialized"} 0`,
			`windows_iis_current_application_pool_state{app="shop",state="Running"} 1`,
			`windows_iis_current_application_pool_state{app="shop",state="Disabling"} 0`,
			`windows_iis_current_application_pool_state{app="shop",state="Disabled"} 0`,
			`windows_iis_current_application_pool_state{app="shop",state="Shutdown Pending"} 0`,
			`windows_iis_current_application_pool_state{app="shop",state="Delete Pending"} 0`,
		}},
		{made{"APP_POOL_WAS", []string{
			"Current Application Pool Uptime PERF_ELAPSED_TIME",
			"Time Since Last Worker Process Failure PERF_ELAPSED_TIME",
		}, []string{"shop: 133499999000000000 133499999955000000"}, "time=133500000000000000 freq=10000000"},
			[]string{
				`windows_iis_current_application_pool_start_time{app="shop"} 1705526300`, // 1705526400 is at0
				`windows_iis_time_since_last_worker_process_failure{app="shop"} 4.5`,
			}},
		{made{"Web Service Cache", []string{"File Cache Hits PERF_COUNTER_RAWCOUNT",
			"File Cache Misses PERF_COUNTER_RAWCOUNT"},
			[]string{"40 2"}, ""}, []string{
			`windows_iis_server_file_cache_queries_total{} 42`,
			`windows_iis_server_file_cache_hits_total{} 40`,
		}},
		{made{"DirectoryServices", []string{
			"DRA Highest USN Issued (High part) PERF_COUNTER_RAWCOUNT",
			"DRA Highest USN Issued (Low part) PERF_COUNTER_RAWCOUNT",
		}, []string{"NTDS: 2 5"}, ""}, []string{`windows_ad_replication_highest_usn{state="issued"} 8589934597`}},
		{made{".NET CLR Memory", []string{"% Time in GC PERF_RAW_FRACTION", "base PERF_RAW_BASE",
			"Process ID PERF_COUNTER_RAWCOUNT"},
			[]string{"_Global_: 50 100 0", "w3wp: 50 200 812", "new: 0 0 900"}, ""},
			[]string{`windows_netframework_clrmemory_gc_time_percent{process="w3wp",process_id="812"} 25`}},
		{made{"MSSQL$SHOP:Locks", []string{"Average Wait Time (ms) PERF_AVERAGE_BULK", "base PERF_AVERAGE_BASE"},
			[]string{"Page: 2500 4", "_Total: 2500 4"}, ""}, []string{
			`windows_mssql_locks_wait_time_seconds{mssql_instance="SHOP",resource="Page"} 2.5`,
			`windows_mssql_locks_count{mssql_instance="SHOP",resource="Page"} 0.00400000000000000008`,
		}},
		{made{"Paging File", []string{"% Usage PERF_RAW_FRACTION", "base PERF_RAW_BASE"},
			[]string{`\??\C:\pagefile.sys: 100 1000`, `\??\D:\pagefile.sys: 1 2`, "_Total: 101 1002"}, ""}, []string{
			`windows_pagefile_limit_bytes{file="C:\\pagefile.sys"} 4096000`,
			`windows_pagefile_limit_bytes{file="D:\\pagefile.sys"} 8192`,
			`windows_pagefile_free_bytes{file="C:\\pagefile.sys"} 3686400`,
			`windows_pagefile_free_bytes{file="D:\\pagefile.sys"} 4096`,
			`windows_os_paging_limit_bytes{} 4104192`,
			`windows_os_paging_free_bytes{} 3690496`,
		}},
		{made{"NUMA Node Memory", []string{"Total MBytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"0: 8192",
			"1: 8191", "_Total: 16383"}, ""}, []string{
			`windows_memory_physical_total_bytes{} 17178820608`,
			`windows_cs_physical_memory_bytes{} 17178820608`,
			`windows_os_visible_memory_bytes{} 17178820608`,
		}},
		{made{"Hyper-V Dynamic Memory VM", []string{"Current Pressure PERF_COUNTER_RAWCOUNT",
			"Physical Memory PERF_COUNTER_LARGE_RAWCOUNT"},
			[]string{"db: 82 512"}, ""}, []string{
			`windows_hyperv_dynamic_memory_vm_pressure_current_ratio{vm="db"} 0.819999999999999951`,
			`windows_hyperv_dynamic_memory_vm_physical_bytes{vm="db"} 536870912`,
		}},
	} {
		if diff := cmp.Diff(tt.want, windowsLines(t, Options{}, tt.object)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.object.name, diff)
		}
	}
}

// TestTableLabels: how instances become labels, and which are left out.
func TestTableLabels(t *testing.T) {
	raw := func(name string) []string { return []string{name + " PERF_COUNTER_RAWCOUNT"} }
	for _, tt := range []struct {
		object made
		want   []string
	}{
		{made{"PhysicalDisk", raw("Current Disk Queue Length"), []string{"0 C: D:: 1", "1: 2", "_Total: 3"}, ""},
			[]string{`windows_physical_disk_requests_queued{disk="0"} 1`,
				`windows_physical_disk_requests_queued{disk="1"} 2`}},
		{made{"Process", append(raw("ID Process"), "Handle Count PERF_COUNTER_RAWCOUNT"),
			[]string{"Idle: 0 1", "svchost: 4 2", "svchost: 8 3", "zombie: 0 4", "_Total: 0 10", "x#7: 12 5"}, ""},
			[]string{
				`windows_process_handles{process="Idle",process_id="0"} 1`,
				`windows_process_handles{process="svchost",process_id="4"} 2`,
				`windows_process_handles{process="svchost",process_id="8"} 3`,
				`windows_process_handles{process="x",process_id="12"} 5`,
				`windows_process_info{process="Idle",process_id="0"} 1`,
				`windows_process_info{process="svchost",process_id="4"} 1`,
				`windows_process_info{process="svchost",process_id="8"} 1`,
				`windows_process_info{process="x",process_id="12"} 1`,
			}},
		{made{"Process V2", append(raw("Process ID"), "Handle Count PERF_COUNTER_RAWCOUNT",
			"Creating Process ID PERF_COUNTER_RAWCOUNT"),
			[]string{"svchost:4: 4 2 600"}, ""}, []string{
			`windows_process_handles{process="svchost",process_id="4"} 2`,
			`windows_process_info{creating_process_id="600",process="svchost",process_id="4"} 1`,
		}},
		// Without ids a number tells processes of one name apart.
		{made{"Process", raw("Handle Count"), []string{"svchost: 2", "svchost: 3"}, ""}, []string{
			`windows_process_handles{process="svchost"} 2`,
			`windows_process_handles{process="svchost#1"} 3`,
			`windows_process_info{process="svchost"} 1`,
			`windows_process_info{process="svchost#1"} 1`,
		}},
		{made{".NET CLR Jit", raw("# of Methods Jitted"), []string{"_Global_: 9", "w3wp: 4", "w3wp: 5"}, ""},
			[]string{
				`windows_netframework_clrjit_jit_methods_total{process="w3wp"} 4`,
				`windows_netframework_clrjit_jit_methods_total{process="w3wp#1"} 5`,
			}},
		{made{"W3SVC_W3WP", raw("Active Requests"), []string{"4711_DefaultAppPool: 1", "12_my_pool: 2",
			"_Total: 3", "13_x#1: 4", "odd: 5"}, ""},
			[]string{
				`windows_iis_worker_current_requests{app="DefaultAppPool",pid="4711"} 1`,
				`windows_iis_worker_current_requests{app="my_pool",pid="12"} 2`,
			}},
		{made{"Web Service", raw("Current Connections"), []string{"shop: 1", "_Total: 9", "shop: 2", "blog: 3"},
			""},
			[]string{`windows_iis_current_connections{site="shop"} 2`,
				`windows_iis_current_connections{site="blog"} 3`}},
		{made{"Hyper-V Hypervisor Logical Processor", raw("Context Switches/sec"), []string{"Hv LP 0: 1",
			"Hv LP 11: 2", "_Total: 3"}, ""},
			[]string{
				`windows_hyperv_hypervisor_logical_processor_context_switches_total{core="0"} 1`,
				`windows_hyperv_hypervisor_logical_processor_context_switches_total{core="11"} 2`,
			}},
		{made{"Hyper-V Hypervisor Virtual Processor", raw("CPU Wait Time Per Dispatch"),
			[]string{"db: prod:Hv VP 3: 7"}, ""},
			[]string{`windows_hyperv_hypervisor_virtual_processor_cpu_wait_time_per_dispatch_total{core="3",vm="db: prod"} 7`}},
		{made{"Terminal Services Session", raw("Handle Count"), []string{"Services: 1", "Console: 2",
			"RDP-Tcp#3: 4"}, ""},
			[]string{`windows_terminal_services_handles{session_name="RDP-Tcp 3"} 4`}},
		{made{"SQLServer:General Statistics", raw("User Connections"), []string{"3"}, ""},
			[]string{`windows_mssql_genstats_user_connections{mssql_instance="MSSQLSERVER"} 3`}},
		{made{"Network Interface", raw("Output Queue Length"), []string{"Intel[R] PRO_1000: 1", "eth: 2",
			"eth: 3"}, ""}, []string{
			`windows_net_output_queue_length_packets{nic="Intel[R] PRO_1000"} 1`,
			`windows_net_output_queue_length_packets{nic="eth"} 2`,
			`windows_net_output_queue_length_packets{nic="eth#1"} 3`,
		}},
		{made{"DNS", raw("Notify Sent"), []string{"7"}, ""}, []string{`windows_dns_notify_sent_total{} 7`}},
		{made{"No Such Object", raw("Notify Sent"), []string{"7"}, ""}, nil},
	} {
		if diff := cmp.Diff(tt.want, windowsLines(t, Options{}, tt.object)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.object.name, diff)
		}
	}
}
