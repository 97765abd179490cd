// Package titles has the title indices of objects and counters that several packages know by
// their index. They are the same on every Windows, in every language.
package titles

// Objects.
const (
	Process   = 230
	Processor = 238
)

// Counters.
const (
	ProcessorTime = 6   // % Processor Time
	WorkingSet    = 180 // of a process
	ElapsedTime   = 684 // raw: when the process or thread began
	IDProcess     = 784
	IDThread      = 804
)
