package resources

import (
	"syscall"

	"github.com/winperf/winperf/internal/winapi"
)

// maxHandles is the limit for every process.
const maxHandles = 1 << 24

// Meter reads the values. The zero Meter is ready for use, by one goroutine.
type Meter struct{}

func (m *Meter) add(values map[string]float64) {
	var created, ended, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err == nil && syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) == nil {
		values[Start] = float64(created.Nanoseconds()) / 1e9
	}

	k := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	if memory, err := k.MemoryInfo(); err == nil {
		values[Virtual], values[Resident] = float64(memory.PagefileUsage), float64(memory.WorkingSetSize)
	}
	if n, err := k.OpenHandles(); err == nil && n > 0 { // Wine returns 0
		values[OpenFiles] = float64(n)
	}
	values[MaxFiles] = maxHandles
}
