package hostfacts

import (
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
	"github.com/winperf/winperf/sink/metrics"
)

// fakeMachine returns the machine of machine.c. At the end of the test no handle may be open.
func fakeMachine(t *testing.T) *machine {
	t.Helper()
	t.Setenv("WINPERF_FAKE", "")
	dll := winapi.NewDLL(wintest.DLL(t, "machine"))
	opened, err := dll.Proc("FakeHandles").Addr()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n, _, _ := syscall.SyscallN(opened); n != 0 {
			t.Errorf("%d handles are open", int32(n))
		}
	})
	return &machine{
		kernel: winapi.NewKernel(dll), network: winapi.NewNetwork(dll), registry: winapi.NewRegistry(dll),
		services: winapi.NewServices(dll),
	}
}

// networkLines are the adapters and connections of machine.c.
var networkLines = []string{
	"net_nic_info friendly_name=Ethernet ü mac=00:15:5D:01:02:AB nic=Fake NIC [1] _2 1",
	"net_nic_operation_status nic=Fake NIC [1] _2 status=up 1",
	"net_nic_operation_status nic=Fake NIC [1] _2 status=down 0",
	"net_nic_operation_status nic=Fake NIC [1] _2 status=testing 0",
	"net_nic_operation_status nic=Fake NIC [1] _2 status=unknown 0",
	"net_nic_operation_status nic=Fake NIC [1] _2 status=dormant 0",
	"net_nic_operation_status nic=Fake NIC [1] _2 status=not present 0",
	"net_nic_operation_status nic=Fake NIC [1] _2 status=lower layer down 0",
	"net_nic_address_info address=192.0.2.1 family=ipv4 nic=Fake NIC [1] _2 1",
	"net_nic_address_info address=2001::1 family=ipv6 nic=Fake NIC [1] _2 1",
	"net_nic_address_info address=2001::2 family=ipv6 nic=Fake NIC [1] _2 1",
	"net_nic_info friendly_name=Ethernet ü nic=Fake NIC 1",
	"net_nic_operation_status nic=Fake NIC status=up 0",
	"net_nic_operation_status nic=Fake NIC status=down 0",
	"net_nic_operation_status nic=Fake NIC status=testing 0",
	"net_nic_operation_status nic=Fake NIC status=unknown 0",
	"net_nic_operation_status nic=Fake NIC status=dormant 0",
	"net_nic_operation_status nic=Fake NIC status=not present 0",
	"net_nic_operation_status nic=Fake NIC status=lower layer down 1",
	"net_nic_info friendly_name=Ethernet ü nic=Fake NIC [1] _2 1", // its states have the labels of the first
	"tcp_connections_state_count af=ipv4 state=LISTENING 2",
	"tcp_connections_state_count af=ipv4 state=ESTABLISHED 1498",
	"tcp_connections_state_count af=ipv6 state=TIME_WAIT 1",
}

// volumeLines are the volumes of machine.c.
var volumeLines = []string{
	"logical_disk_info disk=0;1 filesystem=NTFS serial_number=ABCD1234 type=fixed volume=C: volume_name=System ä 1",
	"logical_disk_readonly volume=C: 0",
	"logical_disk_info type=remote volume=N: 1",
	`logical_disk_info disk=0;1 filesystem=NTFS serial_number=ABCD1234 type=fixed volume=C:\mnt\data volume_name=System ä 1`,
	`logical_disk_readonly volume=C:\mnt\data 1`,
	"logical_disk_info disk=0;1 filesystem=NTFS serial_number=ABCD1234 type=fixed volume=HarddiskVolume3 volume_name=System ä 1",
	"logical_disk_readonly volume=HarddiskVolume3 0",
}

// diskLines are the disks of machine.c.
var diskLines = []string{
	"diskdrive_info caption=ACME Disk 1 device_id=PHYSICALDRIVE0 model=ACME Disk 1 name=PHYSICALDRIVE0 1",
	"diskdrive_size name=PHYSICALDRIVE0 2.199023255552e+12",
	"diskdrive_partitions name=PHYSICALDRIVE0 2",
	"diskdrive_info caption=ACME Disk 1 device_id=PHYSICALDRIVE9 model=ACME Disk 1 name=PHYSICALDRIVE9 1",
	"diskdrive_size name=PHYSICALDRIVE9 2.199023255552e+12",
	"diskdrive_partitions name=PHYSICALDRIVE9 2",
}

// bareDiskLines are the disks if nothing is known about them.
var bareDiskLines = []string{
	"diskdrive_info device_id=PHYSICALDRIVE0 name=PHYSICALDRIVE0 1",
	"diskdrive_info device_id=PHYSICALDRIVE9 name=PHYSICALDRIVE9 1",
}

// processorLines are the processor packages of machine.c.
var processorLines = []string{
	"cpu_info architecture=12 description=Fake Family 8 device_id=CPU0 name=Fake CPU 1",
	"cpu_info_core device_id=CPU0 2",
	"cpu_info_enabled_core device_id=CPU0 2",
	"cpu_info_logical_processor device_id=CPU0 3",
	"cpu_info_thread device_id=CPU0 3",
	"cpu_info_l2_cache_size device_id=CPU0 1024",
	"cpu_info_l3_cache_size device_id=CPU0 4096",
	"cpu_info architecture=12 device_id=CPU1 name=Other 1",
	"cpu_info_core device_id=CPU1 1",
	"cpu_info_enabled_core device_id=CPU1 1",
	"cpu_info_logical_processor device_id=CPU1 1",
	"cpu_info_thread device_id=CPU1 1",
}

// serviceLines are the services of machine.c.
var serviceLines = []string{
	"service_state name=Dhcp state=stopped 0",
	"service_state name=Dhcp state=start pending 0",
	"service_state name=Dhcp state=stop pending 0",
	"service_state name=Dhcp state=running 1",
	"service_state name=Dhcp state=continue pending 0",
	"service_state name=Dhcp state=pause pending 0",
	"service_state name=Dhcp state=paused 0",
	"service_state name=Spooler state=stopped 1",
	"service_state name=Spooler state=start pending 0",
	"service_state name=Spooler state=stop pending 0",
	"service_state name=Spooler state=running 0",
	"service_state name=Spooler state=continue pending 0",
	"service_state name=Spooler state=pause pending 0",
	"service_state name=Spooler state=paused 0",
}

var clockLines = []string{
	"time_clock_sync_source type=NTP 0",
	"time_clock_sync_source type=NT5DS 1",
	"time_clock_sync_source type=AllSync 0",
	"time_clock_sync_source type=NoSync 0",
	"time_clock_sync_source type=Local CMOS Clock 0",
}

// TestFakeMachine reads a machine that is a fake, with calls that fail and that never have room.
func TestFakeMachine(t *testing.T) {
	read := fakeMachine(t).values()
	undisked := slices.Clone(volumeLines)
	for i, line := range undisked {
		undisked[i] = strings.Replace(line, " disk=0;1", "", 1)
	}
	unmodelled := slices.Clone(diskLines)
	for i, n := range map[int]int{0: 0, 3: 1} {
		unmodelled[i] = bareDiskLines[n]
	}
	unnamed := slices.Clone(processorLines)
	for i, line := range unnamed {
		line, _, isInfo := strings.Cut(line, " name=")
		if isInfo {
			unnamed[i] = strings.Replace(line, " description=Fake Family 8", "", 1) + " 1"
		}
	}
	network, volumes, disks := networkLines, volumeLines, diskLines
	processors, services, clock := processorLines, serviceLines, clockLines
	for _, tt := range []struct {
		fake string
		want []string
	}{
		{"", slices.Concat(network, volumes, disks, processors, services, clock)},
		{"GetAdaptersAddresses", slices.Concat(network[20:], volumes, disks, processors, services, clock)},
		{"endless GetAdaptersAddresses", slices.Concat(network[20:], volumes, disks, processors, services, clock)},
		{"GetTcpTable", slices.Concat(network[:20], network[22:], volumes, disks, processors, services, clock)},
		{"GetTcp6Table", slices.Concat(network[:22], volumes, disks, processors, services, clock)},
		{"endless GetTcpTable", slices.Concat(network[:20], network[22:], volumes, disks, processors, services, clock)},
		{"GetLogicalDrives", slices.Concat(network, volumes[3:], disks, processors, services, clock)},
		{"FindFirstVolumeW", slices.Concat(network, volumes[:3], disks, processors, services, clock)},
		{"GetVolumeInformationW", slices.Concat(network, volumes[2:3], disks, processors, services, clock)},
		{"CreateFileW", slices.Concat(network, undisked, processors, services, clock)},
		{"DeviceIoControl", slices.Concat(network, undisked, bareDiskLines, processors, services, clock)},
		{"endless DeviceIoControl", slices.Concat(network, undisked, disks, processors, services, clock)},
		{"model", slices.Concat(network, volumes, unmodelled, processors, services, clock)},
		{"GetLogicalProcessorInformationEx", slices.Concat(network, volumes, disks, services, clock)},
		{"OpenSCManagerW", slices.Concat(network, volumes, disks, processors, clock)},
		{"EnumServicesStatusExW", slices.Concat(network, volumes, disks, processors, clock)},
		{"endless EnumServicesStatusExW", slices.Concat(network, volumes, disks, processors, clock)},
		{"RegOpenKeyExW", slices.Concat(network, volumes, disks, unnamed, services)},
	} {
		t.Setenv("WINPERF_FAKE", tt.fake)
		if diff := cmp.Diff(tt.want, hostLines(read(nil))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.fake, diff)
		}
	}
}

// TestInstalled: the time of the installation is from the registry, or unknown.
func TestInstalled(t *testing.T) {
	var f metrics.Facts
	m := fakeMachine(t)
	readSystem(&f, m.registry)
	if want := time.Unix(1700000000, 0); !f.Installed.Equal(want) {
		t.Errorf("installed at %v, want %v", f.Installed, want)
	}

	t.Setenv("WINPERF_FAKE", "RegOpenKeyExW")
	f = metrics.Facts{}
	if readSystem(&f, m.registry); f != (metrics.Facts{}) {
		t.Errorf("without the registry: %+v", f)
	}
}

// TestHang: a call that does not return omits only its part, and the next scrape does not wait for it.
func TestHang(t *testing.T) {
	m := fakeMachine(t)
	network, clock := newPart(m.interfaces), newPart(m.clock)
	t.Setenv("WINPERF_FAKE", "hang GetAdaptersAddresses")
	for range 2 {
		if got := network.values(time.Millisecond); got != nil {
			t.Errorf("values of a call that hangs: %v", got)
		}
	}
	if got := hostLines(clock.values(time.Minute)); len(got) != len(clockLines) {
		t.Errorf("other values %q", got)
	}

	t.Setenv("WINPERF_FAKE", "")
	for network.line.Busy() {
		time.Sleep(time.Millisecond)
	}
	if diff := cmp.Diff(networkLines, hostLines(distinct(network.values(time.Minute)))); diff != "" {
		t.Errorf("after the call returned (-want +got):\n%s", diff)
	}
}

// TestThisMachine compares the addresses of running adapters with those that package net has.
func TestThisMachine(t *testing.T) {
	lines := hostLines(thisMachine().interfaces())
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err != nil || i.Flags&net.FlagRunning == 0 {
			continue
		}
		for _, a := range addresses {
			ip, ok := a.(*net.IPNet)
			found := ok && slices.ContainsFunc(lines, func(line string) bool {
				return strings.HasPrefix(line, "net_nic_address_info address="+ip.IP.String()+" ")
			})
			if ok && found != ip.IP.IsGlobalUnicast() {
				t.Errorf("%s of %s: found %v in %q", ip, i.Name, found, lines)
			}
		}
	}
}
