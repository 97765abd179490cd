package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// objectsSpec is made of figures of the System object and read by its source.
var objectsSpec = spec{
	number: 14, index: 260, name: "Objects",
	help: "Numbers of the kernel's objects: processes and threads, as in System. Linux does not count " +
		"events, semaphores, mutexes and sections.",
	rows: []row{
		{248, "Processes", counter.RawCount, 0, provider.Novice, sysProcesses, nil,
			"Processes that exist now and can be seen, and one for Idle. Missing where /proc hides some of " +
				"them (mount option hidepid). The number of directories /proc/PID."},
		{250, "Threads", counter.RawCount, 0, provider.Novice, sysThreads | sysOnline, nil,
			"Threads that exist now in the whole system, and one for each processor's idle thread. From " +
				"/proc/loadavg, the number behind the slash."},
	},
}
