package hostfacts

import (
	"math"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
)

// commandLines returns a function that returns the command line of a process of this machine.
func commandLines(winperf.HostFiles) func(id uint64) string {
	return commandLinesOf(winapi.NewCommandLines(winapi.NewDLL("kernel32.dll"), winapi.NewDLL("ntdll.dll")))
}

func commandLinesOf(calls *winapi.CommandLines) func(id uint64) string {
	return func(id uint64) string {
		if id > math.MaxUint32 {
			return ""
		}
		text, err := calls.CommandLine(uint32(id))
		if err != nil {
			return ""
		}
		return safeCommandLine(text)
	}
}
