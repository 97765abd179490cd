// Package titles has the title indices of well-known objects and counters. They are the
// same on every Windows, in every language; the last ones exist only on Linux.
package titles

// Objects.
const (
	System       = 2
	Memory       = 4
	Process      = 230
	Thread       = 232
	PhysicalDisk = 234
	LogicalDisk  = 236
	Processor    = 238
)

// Counters.
const (
	ProcessorTime = 6   // % Processor Time
	WorkingSet    = 180 // of a process
	ElapsedTime   = 684 // raw: the begin of the process or thread
	IDProcess     = 784
	IDThread      = 804
)

// Counters of Linux processes.
const (
	MajorFaults              = 100044
	EndedChildrenTime        = 100052
	EndedChildrenFaults      = 100054
	EndedChildrenMajorFaults = 100056
	UserID                   = 100058
)
