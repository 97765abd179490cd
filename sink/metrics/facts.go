package metrics

import (
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf"
)

// Facts are values of the sampled machine that no counter provides. Leave them empty for logs of
// other machines. A field with the zero value has no metric.
type Facts struct {
	// Hostname is the name of the machine without Domain, FQDN the name with Domain. If Hostname is
	// empty, the name in the samples is used.
	Hostname, Domain, FQDN string
	// Product is the name of the operating system: "Windows Server 2022 Datacenter", "Debian GNU/Linux
	// 12 (bookworm)".
	Product string
	// Version is the version of the system ("10.0.20348") or of the kernel ("6.1.0-18-amd64").
	// Major, Minor and Build are the numbers in it.
	Version, Major, Minor, Build string
	// Revision is the number of the last update, Installation is "Server", "Server Core" or "Client";
	// on Windows only.
	Revision, Installation string
	// Boot is the start time of the machine.
	Boot time.Time
	// Installed is the time of the installation of the system; on Windows only.
	Installed time.Time
	// PhysicalMemory is the size of the memory, AddressSpace the largest address space of a process,
	// in bytes.
	PhysicalMemory, AddressSpace uint64
	// LogicalProcessors is the number of processors in use.
	LogicalProcessors int
	// ProcessLimit is the largest number of processes.
	ProcessLimit uint64
	// TimeZone is the system's name of the time zone: "W. Europe Standard Time", "Europe/Berlin".
	TimeZone string
}

// LogFacts returns the facts that the description of a log contains: the version of Windows and the
// name of the time zone. The name of the machine is in the samples.
func LogFacts(is winperf.LogInfo) (f Facts) {
	var major, minor, build int
	if n, _ := fmt.Sscanf(is.System, "Windows %d.%d, build %d", &major, &minor, &build); n == 3 {
		f.Version = fmt.Sprintf("%d.%d.%d", major, minor, build)
		f.Major, f.Minor, f.Build = fmt.Sprint(major), fmt.Sprint(minor), fmt.Sprint(build)
	}
	if !strings.HasPrefix(is.Zone, "@") { // a reference to a resource
		f.TimeZone = is.Zone
	}
	return f
}
