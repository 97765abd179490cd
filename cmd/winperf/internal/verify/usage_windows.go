package verify

import "github.com/winperf/winperf/internal/winapi"

// usageNow returns the handles and the private memory of this process.
func usageNow() (usage, error) {
	kernel := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	handles, err := kernel.HandleCount()
	if err != nil {
		return usage{}, err
	}
	memory, err := kernel.MemoryInfo()
	return usage{handles, int64(memory.PagefileUsage)}, err
}
