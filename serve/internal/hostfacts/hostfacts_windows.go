package hostfacts

import (
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/sink/metrics"
)

// processLimit is Win32_OperatingSystem.MaxNumberOfProcesses: handles have 32 bits.
const processLimit = 1<<32 - 1

// read reads the facts from the system. Failed calls leave fields empty.
func read(f *metrics.Facts, _ winperf.HostFiles) {
	k := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	f.Hostname, _ = k.ComputerNameEx(winapi.ComputerNameDnsHostname)
	f.Domain, _ = k.ComputerNameEx(winapi.ComputerNameDnsDomain)
	f.FQDN, _ = k.ComputerNameEx(winapi.ComputerNameDnsFullyQualified)

	if m, err := k.MemoryStatus(); err == nil {
		f.PhysicalMemory, f.AddressSpace = m.UllTotalPhys, m.UllTotalVirtual
	}
	if up, err := k.UpTime(); err == nil {
		f.Boot = time.Now().UTC().Add(-up)
	}
	f.LogicalProcessors, _ = k.Processors()
	f.TimeZone, _ = k.TimeZoneKey()
	f.ProcessLimit = processLimit
	readSystem(f, winapi.NewRegistry(winapi.NewDLL("advapi32.dll")))
}

// readSystem reads the version of Windows.
func readSystem(f *metrics.Facts, reg *winapi.Registry) {
	key, err := reg.OpenKey(winapi.HKEY_LOCAL_MACHINE, `SOFTWARE\Microsoft\Windows NT\CurrentVersion`)
	if err != nil {
		return
	}
	defer func() { _ = reg.CloseKey(key) }()

	value := func(name string) string { return registryValue(reg, key, name) }
	f.Major, f.Minor = value("CurrentMajorVersionNumber"), value("CurrentMinorVersionNumber")
	if f.Major == "" { // before Windows 10
		f.Major, f.Minor, _ = strings.Cut(value("CurrentVersion"), ".")
	}
	f.Build, f.Revision = value("CurrentBuildNumber"), value("UBR")
	f.Version = f.Major + "." + f.Minor + "." + f.Build
	if seconds, err := strconv.ParseUint(value("InstallDate"), 10, 32); err == nil && seconds > 0 {
		f.Installed = time.Unix(int64(seconds), 0).UTC()
	}
	f.Product, f.Installation = product(value("ProductName"), f.Build), value("InstallationType")
}

// registryValue returns a value of a key as text, or "".
func registryValue(reg *winapi.Registry, key winapi.HKEY, name string) string {
	buf := make([]byte, 1024)
	var value winapi.RegValue
	if err := reg.QueryValue(key, wire.Units(name), buf, &value); err != nil || int(value.Size) > len(buf) {
		return ""
	}

	buf = buf[:value.Size]
	switch {
	case value.Type == winapi.REG_SZ:
		text, _, _ := wire.CutUTF16(buf)
		return wire.Decode(text, wire.UTF16LE)
	case value.Type == winapi.REG_DWORD && len(buf) == 4:
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(buf)), 10)
	}
	return ""
}
