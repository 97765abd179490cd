//go:build linux || windows

package live

// The texts about a process, in the order of their columns. They are read on request and never recorded,
// because command lines may contain secrets.
const (
	factUser    = "User"
	factGroup   = "Control Group"
	factCommand = "Command Line"
)
