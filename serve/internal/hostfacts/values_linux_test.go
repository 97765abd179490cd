package hostfacts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
)

// hostFiles are the files of a machine with two processors, a disk and a service.
var hostFiles = map[string]string{
	"proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n" +
		"model name\t: Xeon\nstepping\t: 7\ncpu MHz\t\t: 2100.5\nphysical id\t: 0\ncpu cores\t: 1\n\n" +
		"processor\t: 1\ncpu MHz\t\t: 2200\nphysical id\t: 0\n",
	"sys/devices/system/cpu/cpu0/cache/index2/level": "2\n",
	"sys/devices/system/cpu/cpu0/cache/index2/size":  "1024K\n",
	"sys/devices/system/cpu/cpu0/cache/index3/level": "3\n",
	"sys/devices/system/cpu/cpu0/cache/index3/size":  "36608K\n",

	"proc/net/tcp": "  sl  local_address rem_address   st\n" +
		"   0: 0100007F:1F90 00000000:0000 0A 0\n   1: 0100007F:1F90 0100007F:2000 01 0\n" +
		"   2: 0100007F:1F90 0100007F:2001 01 0\n   3: 0100007F:1F90 0100007F:2002 0C 0\n",
	"proc/meminfo":     "MemTotal: 1 kB\nDirty:    12 kB\n",
	"proc/self/mounts": "/dev/vda1 / ext4 rw 0 0\nproc /proc proc rw 0 0\nnas:/x /mnt/a\\040b nfs4 rw 0 0\n/dev/vda1 / ext4 rw 0 0\n",

	"sys/block/vda/size":           "2048\n",
	"sys/block/vda/device/model":   "Virtual disk\n",
	"sys/block/vda/vda1/partition": "1\n",
	"sys/block/loop0/size":         "8\n",

	"sys/fs/cgroup/system.slice/nginx.service/x": "",
	"sys/fs/cgroup/system.slice/cgroup.procs":    "",
	"sys/class/thermal/thermal_zone0/temp":       "45500\n",
	"sys/class/thermal/cooling_device0/temp":     "1\n",
}

func hostOf(t *testing.T, files map[string]string) *host {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return newHost(winperf.HostFiles{Root: root})
}

// TestHostValues reads the values of a machine that is files.
func TestHostValues(t *testing.T) {
	want := []string{
		"cpu_core_frequency_mhz core=0,0 2100.5",
		"cpu_core_frequency_mhz core=0,1 2200",
		"cpu_info architecture=" + architecture(t) + " description=GenuineIntel Family 6 Model 85 Stepping 7" +
			" device_id=CPU0 family=6 name=Xeon 1",
		"cpu_info_logical_processor device_id=CPU0 2",
		"cpu_info_thread device_id=CPU0 2",
		"cpu_info_core device_id=CPU0 1",
		"cpu_info_enabled_core device_id=CPU0 1",
		"cpu_info_l2_cache_size device_id=CPU0 1024",
		"cpu_info_l3_cache_size device_id=CPU0 36608",
		"tcp_connections_state_count af=ipv4 state=ESTABLISHED 2",
		"tcp_connections_state_count af=ipv4 state=SYN_RECEIVED 1",
		"tcp_connections_state_count af=ipv4 state=LISTENING 1",
		"diskdrive_info caption=Virtual disk device_id=vda model=Virtual disk name=vda 1",
		"diskdrive_size name=vda 1.048576e+06",
		"diskdrive_partitions name=vda 1",
		"logical_disk_info disk=vda1 filesystem=ext4 type=fixed volume=/ 1",
		"logical_disk_info filesystem=nfs4 type=remote volume=/mnt/a b 1",
		"service_state name=nginx state=running 1",
		"thermalzone_temperature_celsius name=thermal_zone0 45.5",
		"memory_modified_page_list_bytes 12288",
	}
	if diff := cmp.Diff(want, hostLines(hostOf(t, hostFiles).read(nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := hostOf(t, nil).read(nil); len(got) > 0 {
		t.Errorf("without files: %+v", got)
	}
}

func architecture(t *testing.T) string {
	t.Helper()
	for _, v := range hostOf(t, hostFiles).static {
		for _, l := range v.Labels {
			if l.Name == "architecture" {
				return l.Value
			}
		}
	}
	t.Fatal("no architecture")
	return ""
}

// TestManyConnections: a list that takes too long to read has no counts.
func TestManyConnections(t *testing.T) {
	line := "   1: 0100007F:1F90 0100007F:2000 01 0 " + strings.Repeat("x", 100) + "\n"
	files := map[string]string{"proc/net/tcp": strings.Repeat(line, 40_000)}
	if got := hostLines(hostOf(t, files).read(nil)); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// TestThisHost compares values of this machine with its files.
func TestThisHost(t *testing.T) {
	lines := hostLines(values(winperf.HostFiles{})(nil))
	has := func(line string) bool { return slices.Contains(lines, line) }
	if !has("net_nic_address_info address=127.0.0.1 family=ipv4 nic=lo 1") ||
		!has("net_nic_operation_status nic=lo status=up 1") || !has("net_nic_operation_status nic=lo status=down 0") {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}

	entries, err := os.ReadDir("/sys/class/net")
	if err != nil {
		t.Skip(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join("/sys/class/net", e.Name(), "address"))
		mac := strings.TrimSpace(string(text))
		if err != nil || mac == "" || strings.Trim(mac, "0:") == "" {
			continue
		}
		if !has(fmt.Sprintf("net_nic_info friendly_name=%s mac=%s nic=%[1]s 1", e.Name(), mac)) {
			t.Errorf("interface %s with %s is missing", e.Name(), mac)
		}
	}
}

// TestMountedHost: the names of accounts, control groups, mounts and interfaces are those of the machine
// whose files are mounted in a container.
func TestMountedHost(t *testing.T) {
	files := map[string]string{
		"etc/passwd":               "root:x:0:0:root:/root:/bin/sh\nbroken:x\nal(ice:x:4000000:1::/:\n",
		"proc/1/mountinfo":         "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n",
		"proc/1/mounts":            "/dev/sda1 / ext4 rw 0 0\n",
		"proc/self/mounts":         "/dev/sdb1 / ext4 rw 0 0\n",
		"proc/7/cgroup":            "0::/system.slice/ssh.service\n",
		"sys/class/net/eth9/flags": "0x1043\n", "sys/class/net/eth9/address": "02:00:00:00:00:09\n",
		"sys/class/net/eth8/flags": "0x1003\n", "sys/class/net/bonding_masters": "\n",
	}
	is := winperf.Description{Machine: "OTHER", Files: winperf.HostFiles{Root: hostOf(t, files).files.Root()}}

	users := UsersFor(is)
	for id, want := range map[uint64]string{0: "root", 4000000: "al[ice", 5: ""} {
		if got := users(id); got != want {
			t.Errorf("account %d is %q, want %q", id, got, want)
		}
	}
	groups := ControlGroupsFor(is)
	if got, none := groups(7), groups(8); got != "/system.slice/ssh.service" || none != "" {
		t.Errorf("control groups %q and %q", got, none)
	}

	want := []string{
		"logical_disk_info disk=sda1 filesystem=ext4 type=fixed volume=/ 1",
		"net_nic_info friendly_name=eth8 nic=eth8 1",
		"net_nic_operation_status nic=eth8 status=up 0",
		"net_nic_operation_status nic=eth8 status=down 1",
		"net_nic_info friendly_name=eth9 mac=02:00:00:00:00:09 nic=eth9 1",
		"net_nic_operation_status nic=eth9 status=up 1",
		"net_nic_operation_status nic=eth9 status=down 0",
	}
	var got []string
	for _, line := range hostLines(ValuesFor(is)(nil)) {
		if !strings.HasPrefix(line, "time_") {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if facts := For(is); facts.LogicalProcessors == 0 || facts.Hostname == "" {
		t.Errorf("facts %+v", facts)
	}
}
