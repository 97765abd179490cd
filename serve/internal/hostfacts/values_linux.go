package hostfacts

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/hostfiles"
	"github.com/winperf/winperf/sink/metrics"
)

// maxDevices is the largest number of devices, mounts or services that are read.
const maxDevices = 1000

// host reads values from the files of a machine.
type host struct {
	files  *hostfiles.Files
	static []metrics.HostValue // of processors, which do not change
}

func values(at winperf.HostFiles) func([]metrics.HostValue) []metrics.HostValue {
	h := newHost(at)
	if h == nil {
		return nil
	}
	return func(buf []metrics.HostValue) []metrics.HostValue {
		buf = h.read(buf)
		if h.files.Foreign() {
			buf = h.devices(buf)
		} else {
			buf = appendInterfaces(buf)
		}
		return appendClock(buf)
	}
}

// newHost returns nil if directories of the machine are missing.
func newHost(at winperf.HostFiles) *host {
	files, err := hostfiles.Open(at)
	if err != nil {
		return nil
	}
	h := &host{files: files}
	h.static = h.processors()
	return h
}

// read appends the values in files.
func (h *host) read(buf []metrics.HostValue) []metrics.HostValue {
	buf = append(buf, h.static...)
	buf = h.connections(buf, "proc/net/tcp", "ipv4")
	buf = h.connections(buf, "proc/net/tcp6", "ipv6")
	buf = h.disks(buf)
	buf = h.mounts(buf)
	buf = h.services(buf)
	buf = h.temperatures(buf)

	dirty, _, _ := strings.Cut(word(h.text("proc/meminfo"), "Dirty:"), " ")
	if dirty != "" {
		buf = append(buf, value("windows_memory_modified_page_list_bytes", float64(number(dirty)*1024)))
	}
	return buf
}

// text returns the contents of a file, at most 1 MB, or "".
func (h *host) text(name string) string { return h.files.Text(name) }

// names returns the sorted names in a directory.
func (h *host) names(directory string) (names []string) {
	entries, err := os.ReadDir(h.files.Path(directory))
	if err != nil {
		return nil
	}
	for _, e := range entries[:min(len(entries), maxDevices)] {
		names = append(names, e.Name())
	}
	return names
}

// tcpStates are Windows' names of the states in /proc/net/tcp, from 1.
var tcpStates = [...]string{
	"", "ESTABLISHED", "SYN_SENT", "SYN_RECEIVED", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSED",
	"CLOSE_WAIT", "LAST_ACK", "LISTENING", "CLOSING", "SYN_RECEIVED",
}

// connections appends the numbers of connections by state; none if the list exceeds 4 MB, about
// 25,000 connections, because reading it takes too long.
func (h *host) connections(buf []metrics.HostValue, file, family string) []metrics.HostValue {
	const longest = 4 << 20
	f, err := h.files.Open(file)
	if err != nil {
		return buf
	}
	defer f.Close()

	rest := io.LimitedReader{R: f, N: longest}
	counts := map[string]int{}
	lines := bufio.NewScanner(&rest)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 {
			continue
		}
		state, err := strconv.ParseUint(fields[3], 16, 8)
		if err == nil && state > 0 && int(state) < len(tcpStates) {
			counts[tcpStates[state]]++
		}
	}
	if rest.N <= 0 || lines.Err() != nil {
		return buf
	}

	for _, state := range tcpStates[1 : len(tcpStates)-1] {
		buf = append(buf, value("windows_tcp_connections_state_count", float64(counts[state]),
			"af", family, "state", state))
	}
	return buf
}

// disks appends the physical disks: block devices of hardware.
func (h *host) disks(buf []metrics.HostValue) []metrics.HostValue {
	for _, name := range h.names("sys/block") {
		directory := filepath.Join("sys/block", name)
		parts := h.names(directory)
		if !slices.Contains(parts, "device") {
			continue
		}
		partitions := 0
		for _, part := range parts {
			if strings.HasPrefix(part, name) && h.text(filepath.Join(directory, part, "partition")) != "" {
				partitions++
			}
		}

		const sector = 512
		model := h.text(filepath.Join(directory, "device/model"))
		size := h.text(filepath.Join(directory, "size"))
		buf = append(buf,
			value("windows_diskdrive_info", 1,
				"caption", model, "device_id", name, "model", model, "name", name),
			value("windows_diskdrive_size", float64(number(size)*sector), "name", name),
			value("windows_diskdrive_partitions", float64(partitions), "name", name))
	}
	return buf
}

// remote are file systems of other machines.
var remote = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "fuse.sshfs", "9p"}

// mounts appends the file systems on devices and of other machines.
func (h *host) mounts(buf []metrics.HostValue) []metrics.HostValue {
	seen := map[string]bool{}
	list, below := h.files.Mounts("mounts")
	for line := range strings.Lines(h.text(list)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || len(seen) >= maxDevices {
			continue
		}

		source, point, system := fields[0], unescape.Replace(fields[1]), fields[2]
		if below != "" {
			var ok bool
			if point, ok = hostfiles.Below(point, below); !ok {
				continue
			}
		}
		kind, disk := "fixed", strings.TrimPrefix(source, "/dev/")
		switch {
		case slices.Contains(remote, system):
			kind, disk = "remote", ""
		case disk == source:
			continue
		}
		if !seen[point] {
			buf = append(buf, value("windows_logical_disk_info", 1,
				"disk", disk, "filesystem", system, "type", kind, "volume", point))
		}
		seen[point] = true
	}
	return buf
}

// unescape replaces the octal codes of blanks in a mount point.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// services appends the running services: systemd gives each one a control group.
func (h *host) services(buf []metrics.HostValue) []metrics.HostValue {
	before := len(buf)
	for _, hierarchy := range []string{"sys/fs/cgroup", "sys/fs/cgroup/systemd"} {
		for _, name := range h.names(hierarchy + "/system.slice") {
			if service, ok := strings.CutSuffix(name, ".service"); ok {
				buf = append(buf, value("windows_service_state", 1, "name", service, "state", "running"))
			}
		}
		if len(buf) > before {
			break
		}
	}
	return buf
}

// temperatures appends the temperatures of thermal zones.
func (h *host) temperatures(buf []metrics.HostValue) []metrics.HostValue {
	for _, name := range h.names("sys/class/thermal") {
		milli, err := strconv.Atoi(h.text("sys/class/thermal/" + name + "/temp"))
		if !strings.HasPrefix(name, "thermal_zone") || err != nil {
			continue
		}
		buf = append(buf, value("windows_thermalzone_temperature_celsius", float64(milli)/1000, "name", name))
	}
	return buf
}

// devices appends the interfaces of another machine with their states. Its addresses are known only to its
// own programs.
func (h *host) devices(buf []metrics.HostValue) []metrics.HostValue {
	for _, name := range h.names("sys/class/net") {
		directory := filepath.Join("sys/class/net", name)
		flags, err := strconv.ParseUint(h.text(filepath.Join(directory, "flags")), 0, 32)
		if err != nil {
			continue // a file of a driver, not an interface
		}

		const running = 0x40 // IFF_RUNNING of if.h
		mac := h.text(filepath.Join(directory, "address"))
		buf = appendInterface(buf, name, mac, flags&running != 0)
	}
	return buf
}

// appendInterface appends an interface with its state.
func appendInterface(buf []metrics.HostValue, name, mac string, up bool) []metrics.HostValue {
	states := map[string]float64{"up": 0, "down": 1}
	if up {
		states = map[string]float64{"up": 1, "down": 0}
	}
	return append(buf,
		value("windows_net_nic_info", 1, "friendly_name", name, "mac", mac, "nic", name),
		value("windows_net_nic_operation_status", states["up"], "nic", name, "status", "up"),
		value("windows_net_nic_operation_status", states["down"], "nic", name, "status", "down"))
}

// appendInterfaces appends the interfaces of this machine with their states and addresses.
func appendInterfaces(buf []metrics.HostValue) []metrics.HostValue {
	interfaces, err := net.Interfaces()
	if err != nil {
		return buf
	}

	for _, i := range interfaces[:min(len(interfaces), maxDevices)] {
		buf = appendInterface(buf, i.Name, i.HardwareAddr.String(), i.Flags&net.FlagRunning != 0)

		addresses, _ := i.Addrs() // none after an error
		for _, a := range addresses[:min(len(addresses), maxDevices)] {
			ip, ok := a.(*net.IPNet)
			if !ok {
				continue
			}
			family := "ipv6"
			if ip.IP.To4() != nil {
				family = "ipv4"
			}
			buf = append(buf, value("windows_net_nic_address_info", 1,
				"address", ip.IP.String(), "family", family, "nic", i.Name))
		}
	}
	return buf
}

// appendClock appends the corrections of the system's clock.
func appendClock(buf []metrics.HostValue) []metrics.HostValue {
	var t syscall.Timex
	if _, err := syscall.Adjtimex(&t); err != nil {
		return buf
	}

	const nano = 0x2000 // STA_NANO of timex.h
	unit := 1e-6
	if t.Status&nano != 0 {
		unit = 1e-9
	}
	const scale = 1 << 16 // of parts per million
	return append(buf,
		value("windows_time_computed_time_offset_seconds", float64(t.Offset)*unit),
		value("windows_time_clock_frequency_adjustment_ppb", float64(t.Freq)*1000/scale))
}
