package hostfacts

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/sink/metrics"
)

// The values of a Windows machine, from the results of Windows calls.

// maxText is the largest number of characters in a label.
const maxText = 256

// clip returns at most maxText characters of a text from the system.
func clip(text string) string { return clipTo(text, maxText) }

// oneOf appends a value for each state: 1 for the current one, otherwise 0. An unknown state has no values.
func oneOf(buf []metrics.HostValue, metric string, states []string, current string, label string,
	labels ...string,
) []metrics.HostValue {
	before := len(buf)
	known := false
	for _, state := range states {
		v := 0.0
		if state == current {
			v, known = 1, true
		}
		buf = append(buf, value(metric, v, append(labels[:len(labels):len(labels)], label, state)...))
	}
	if !known {
		return buf[:before]
	}
	return buf
}

// distinct removes the values after the first one with the same metric and labels.
func distinct(all []metrics.HostValue) []metrics.HostValue {
	seen := map[string]bool{}
	kept := all[:0]
	for _, v := range all {
		key := fmt.Sprintf("%s %q", v.Metric, v.Labels)
		if !seen[key] {
			kept = append(kept, v)
		}
		seen[key] = true
	}
	return kept
}

// operationStates are windows_exporter's names of IF_OPER_STATUS, from 1.
var operationStates = []string{
	"up", "down", "testing", "unknown", "dormant", "not present", "lower layer down",
}

// instanceName replaces the characters that Windows replaces in the instances of Network Interface.
var instanceName = strings.NewReplacer("(", "[", ")", "]", "#", "_")

// adapterValues appends network adapters with their states, and the addresses of those that are up.
func adapterValues(buf []metrics.HostValue, adapters []winapi.Adapter) []metrics.HostValue {
	for _, a := range adapters {
		nic := instanceName.Replace(clip(a.Description))
		if nic == "" {
			continue
		}
		buf = append(buf, value("windows_net_nic_info", 1,
			"friendly_name", clip(a.FriendlyName), "mac", physicalAddress(a.PhysicalAddress), "nic", nic))

		status := ""
		if a.Status > 0 && int64(a.Status) <= int64(len(operationStates)) {
			status = operationStates[a.Status-1]
		}
		buf = oneOf(buf, "windows_net_nic_operation_status", operationStates, status, "status", "nic", nic)
		if status == "up" {
			buf = addressValues(addressValues(buf, nic, a.Unicast), nic, a.Anycast)
		}
	}
	return buf
}

// addressValues appends the addresses of an adapter that are neither local to the link nor loopback.
func addressValues(buf []metrics.HostValue, nic string, addresses []netip.Addr) []metrics.HostValue {
	for _, a := range addresses {
		if !a.IsGlobalUnicast() {
			continue
		}
		family := "ipv6"
		if a.Is4() {
			family = "ipv4"
		}
		buf = append(buf, value("windows_net_nic_address_info", 1,
			"address", a.String(), "family", family, "nic", nic))
	}
	return buf
}

// physicalAddress returns an address such as 00:15:5D:01:02:03.
func physicalAddress(address []byte) string {
	var parts []string
	for _, b := range address {
		parts = append(parts, fmt.Sprintf("%02X", b))
	}
	return strings.Join(parts, ":")
}

// connectionStates are windows_exporter's names of MIB_TCP_STATE, from 1.
var connectionStates = []string{
	"CLOSED", "LISTENING", "SYN_SENT", "SYN_RECEIVED", "ESTABLISHED", "FIN_WAIT1", "FIN_WAIT2", "CLOSE_WAIT",
	"CLOSING", "LAST_ACK", "TIME_WAIT", "DELETE_TCB",
}

// connectionValues appends the numbers of TCP connections of a family.
func connectionValues(buf []metrics.HostValue, family string, counts winapi.Connections) []metrics.HostValue {
	for i, state := range connectionStates {
		buf = append(buf, value("windows_tcp_connections_state_count", float64(counts[i+1]),
			"af", family, "state", state))
	}
	return buf
}

// driveTypes are windows_exporter's names of the types of drives, by number.
var driveTypes = map[uint32]string{
	winapi.DRIVE_UNKNOWN: "unknown", winapi.DRIVE_NO_ROOT_DIR: "norootdir", winapi.DRIVE_REMOVABLE: "removable",
	winapi.DRIVE_FIXED: "fixed", winapi.DRIVE_REMOTE: "remote", winapi.DRIVE_CDROM: "cdrom",
	winapi.DRIVE_RAMDISK: "ramdisk",
}

// volumeValues appends a volume with the numbers of its disks.
func volumeValues(buf []metrics.HostValue, name, kind string, info winapi.VolumeInfo, disks []uint32,
) []metrics.HostValue {
	var numbers []string
	for _, d := range disks {
		if n := strconv.FormatUint(uint64(d), 10); !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	readonly := 0.0
	if info.Flags&winapi.FILE_READ_ONLY_VOLUME != 0 {
		readonly = 1
	}
	return append(buf,
		value("windows_logical_disk_info", 1, "disk", clip(strings.Join(numbers, ";")),
			"filesystem", clip(info.FileSystem), "serial_number", fmt.Sprintf("%X", info.Serial), "type", kind,
			"volume", name, "volume_name", clip(info.Name)),
		value("windows_logical_disk_readonly", readonly, "volume", name))
}

// packageValues appends a processor package with its texts in the registry. They lack the family that
// Win32_Processor has.
func packageValues(buf []metrics.HostValue, id, name, description string, architecture uint16,
	p winapi.ProcessorPackage,
) []metrics.HostValue {
	buf = append(buf, value("windows_cpu_info", 1, "architecture", strconv.Itoa(int(architecture)),
		"description", clip(description), "device_id", id, "name", clip(strings.TrimSpace(name))))
	const kilobyte = 1024
	for _, v := range []struct {
		metric string
		n      uint64
	}{
		{"core", uint64(p.Cores)}, {"enabled_core", uint64(p.Cores)},
		{"logical_processor", uint64(p.Processors)}, {"thread", uint64(p.Processors)},
		{"l2_cache_size", p.Level2Cache / kilobyte}, {"l3_cache_size", p.Level3Cache / kilobyte},
	} {
		if v.n > 0 {
			buf = append(buf, value("windows_cpu_info_"+v.metric, float64(v.n), "device_id", id))
		}
	}
	return buf
}

// serviceStates are windows_exporter's names of the states of services, from 1.
var serviceStates = []string{
	"stopped", "start pending", "stop pending", "running", "continue pending", "pause pending", "paused",
}

// serviceValues appends services. A service in an unknown state has no values.
func serviceValues(buf []metrics.HostValue, services []winapi.ServiceState) []metrics.HostValue {
	for _, s := range services {
		if s.Name != "" && s.State > 0 && int64(s.State) <= int64(len(serviceStates)) {
			buf = oneOf(buf, "windows_service_state", serviceStates, serviceStates[s.State-1], "state",
				"name", clip(s.Name))
		}
	}
	return buf
}

// clockSources are the values of the registry that select the source of the clock.
var clockSources = []string{"NTP", "NT5DS", "AllSync", "NoSync", "Local CMOS Clock"}
