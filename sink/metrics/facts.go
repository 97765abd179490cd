package metrics

import "time"

// Facts are what a machine knows about itself and no counter tells. They are of the machine that the
// samples are from: who maps a record of another one knows none of its own and leaves them empty.
// What is zero is not known, and what rests on it is absent.
type Facts struct {
	// Hostname, Domain and FQDN are names of the machine: without its domain, of the domain alone, and
	// whole. Without a Hostname that which the samples have is taken.
	Hostname, Domain, FQDN string
	// Product is the name of the operating system: "Windows Server 2022 Datacenter",
	// "Debian GNU/Linux 12 (bookworm)".
	Product string
	// Version is the version of the system: "10.0.20348", or of the kernel, "6.1.0-18-amd64", with
	// its numbers.
	Version, Major, Minor, Build string
	// Revision is the number of the last update, and Installation is "Server", "Server Core" or
	// "Client"; on Windows only.
	Revision, Installation string
	// Boot is when the machine started.
	Boot time.Time
	// PhysicalMemory is how much memory there is, AddressSpace how much a process can
	// have, in bytes.
	PhysicalMemory, AddressSpace uint64
	// LogicalProcessors are those that the system uses.
	LogicalProcessors int
	// ProcessLimit is how many processes there can be.
	ProcessLimit uint64
	// TimeZone is the name of the time zone as the system spells it: "W. Europe Standard
	// Time", "Europe/Berlin".
	TimeZone string
}
