package hostfacts

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/sink/metrics"
)

// patience is how long a scrape waits for the calls of a part.
const patience = time.Second

// machine are the calls that read a Windows machine.
type machine struct {
	kernel   *winapi.Kernel
	network  *winapi.Network
	registry *winapi.Registry
	services *winapi.Services
}

// values returns the values of this machine.
func values(winperf.HostFiles) func([]metrics.HostValue) []metrics.HostValue {
	return thisMachine().values()
}

func thisMachine() *machine {
	return &machine{
		kernel:   winapi.NewKernel(winapi.NewDLL("kernel32.dll")),
		network:  winapi.NewNetwork(winapi.NewDLL("iphlpapi.dll")),
		registry: winapi.NewRegistry(winapi.NewDLL("advapi32.dll")),
		services: winapi.NewServices(winapi.NewDLL("advapi32.dll")),
	}
}

// values returns a function that reads the machine in parts, each of which may fail or take too long.
func (m *machine) values() func([]metrics.HostValue) []metrics.HostValue {
	parts := []*part{
		newPart(m.interfaces), newPart(m.volumes), newPart(m.disks), newPart(m.processors), newPart(m.serviceStates),
		newPart(m.clock),
	}
	return func(buf []metrics.HostValue) []metrics.HostValue {
		all := []metrics.HostValue{}
		for _, p := range parts {
			all = append(all, p.values(patience)...)
		}
		return append(buf, distinct(all)...)
	}
}

// part reads values with calls that may never return.
type part struct {
	read func() []metrics.HostValue

	mu   sync.Mutex // for the line
	line *call.Line
}

func newPart(read func() []metrics.HostValue) *part { return &part{read: read, line: call.NewLine()} }

// values returns no values if the calls take longer than a limit, or if those of an earlier scrape have not
// returned.
func (p *part) values(limit time.Duration) []metrics.HostValue {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line.Busy() {
		return nil
	}

	var all []metrics.HostValue
	if err := p.line.Do(context.Background(), limit, func(context.Context) { all = p.read() }); err != nil {
		return nil
	}
	p.line.Rest()
	return all
}

// interfaces returns the network adapters and the TCP connections.
func (m *machine) interfaces() (all []metrics.HostValue) {
	if adapters, err := m.network.Adapters(); err == nil {
		all = adapterValues(all, adapters)
	}
	if counts, err := m.network.Connections(winapi.AF_INET); err == nil {
		all = connectionValues(all, "ipv4", counts)
	}
	if counts, err := m.network.Connections(winapi.AF_INET6); err == nil {
		all = connectionValues(all, "ipv6", counts)
	}
	return all
}

// volumes returns the drives, and the volumes without a letter.
func (m *machine) volumes() (all []metrics.HostValue) {
	if drives, err := m.kernel.LogicalDrives(); err == nil {
		for i := range rune(26) {
			if drives&(1<<i) != 0 {
				drive := string('A'+i) + ":"
				all = m.volume(all, drive, drive+`\`, `\\.\`+drive)
			}
		}
	}

	volumes, err := m.kernel.Volumes()
	if err != nil {
		return all
	}
	for _, path := range volumes {
		if name := m.volumeName(path); name != "" {
			all = m.volume(all, name, path, strings.TrimSuffix(path, `\`))
		}
	}
	return all
}

// volume appends the volume with a root directory. Volumes of other machines are not asked, because they may
// not answer. A volume without a file system is omitted.
func (m *machine) volume(buf []metrics.HostValue, name, root, device string) []metrics.HostValue {
	number, err := m.kernel.DriveType(root)
	kind := driveTypes[number]
	switch {
	case err != nil:
		return buf
	case number == winapi.DRIVE_REMOTE:
		return append(buf, value("windows_logical_disk_info", 1, "type", kind, "volume", name))
	}

	info, err := m.kernel.VolumeInformation(root)
	if err != nil {
		return buf
	}
	disks, err := m.kernel.VolumeDisks(device)
	if err != nil {
		disks = nil // the other labels are true nevertheless
	}
	return volumeValues(buf, name, kind, info, disks)
}

// volumeName returns the instance of LogicalDisk for a volume without a letter: a directory, or a name such
// as HarddiskVolume3. It is "" for other volumes.
func (m *machine) volumeName(path string) string {
	paths, err := m.kernel.VolumePaths(path)
	if err != nil {
		return ""
	}
	for _, p := range paths {
		if len(p) <= len(`C:\`) {
			return ""
		}
	}
	if len(paths) > 0 {
		return clip(strings.TrimSuffix(paths[0], `\`))
	}

	device, err := m.kernel.DosDevice(strings.Trim(path, `\?`))
	if name, ok := strings.CutPrefix(device, `\Device\`); err == nil && ok {
		return clip(name)
	}
	return ""
}

// processors returns the processor packages.
func (m *machine) processors() (all []metrics.HostValue) {
	packages, err := m.kernel.ProcessorPackages()
	if err != nil {
		return nil
	}
	architecture, err := m.kernel.Architecture()
	if err != nil {
		return nil
	}

	for i, p := range packages[:min(len(packages), maxListed)] {
		key := `HARDWARE\DESCRIPTION\System\CentralProcessor\` + strconv.Itoa(p.First)
		texts := registryValues(m.registry, key, "ProcessorNameString", "Identifier")
		all = packageValues(all, "CPU"+strconv.Itoa(i), texts[0], texts[1], architecture, p)
	}
	return all
}

// disks returns the physical disks. Their numbers may have gaps.
func (m *machine) disks() (all []metrics.HostValue) {
	const gap = 16 // no more disks follow after so many numbers without one
	for n, last := 0, -1; n <= last+gap && n < maxListed; n++ {
		device := `\\.\PhysicalDrive` + strconv.Itoa(n)
		if !m.kernel.HasDevice(device) {
			continue
		}
		last = n

		name := "PHYSICALDRIVE" + strconv.Itoa(n)
		model, err := m.kernel.DiskModel(device)
		if err != nil {
			model = "" // the disk exists nevertheless
		}
		all = append(all, value("windows_diskdrive_info", 1,
			"caption", clip(model), "device_id", name, "model", clip(model), "name", name))
		if size, err := m.kernel.DiskSize(device); err == nil && size > 0 {
			all = append(all, value("windows_diskdrive_size", float64(size), "name", name))
		}
		if n, err := m.kernel.Partitions(device); err == nil {
			all = append(all, value("windows_diskdrive_partitions", float64(n), "name", name))
		}
	}
	return all
}

// maxListed is the largest number of processor packages or disks.
const maxListed = 1000

// serviceStates returns the states of services.
func (m *machine) serviceStates() []metrics.HostValue {
	states, err := m.services.States()
	if err != nil {
		return nil
	}
	return serviceValues(nil, states)
}

// clock returns the source of the clock.
func (m *machine) clock() []metrics.HostValue {
	source := registryValues(m.registry, `SYSTEM\CurrentControlSet\Services\W32Time\Parameters`, "Type")
	return oneOf(nil, "windows_time_clock_sync_source", clockSources, source[0], "type")
}

// registryValues returns values of a key of HKEY_LOCAL_MACHINE as texts, "" for missing ones.
func registryValues(reg *winapi.Registry, key string, names ...string) []string {
	texts := make([]string, len(names))
	k, err := reg.OpenKey(winapi.HKEY_LOCAL_MACHINE, key)
	if err != nil {
		return texts
	}
	defer func() { _ = reg.CloseKey(k) }()

	for i, name := range names {
		texts[i] = registryValue(reg, k, name)
	}
	return texts
}
