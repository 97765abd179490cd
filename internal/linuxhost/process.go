package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Process object. Times are in 100 ns, sizes in bytes.
const (
	procUser fields = 1 << iota
	procSystem
	procFaults
	procMajorFaults
	procThreads
	procStarted // when it started, a FILETIME; of _Total the object's time
	procVirtual
	procParent
	procPriority
	procBlockDelay
	procID
	procResident
	procUnshared
	procPeakVirtual
	procPeakResident
	procAnonymous
	procSwap
	procPageTables
	procReads
	procWrites
	procBytesRead
	procBytesWritten
	procDiskRead
	procDiskWritten // less procDiskCancelled
	procDiskCancelled
	procHandles
	procWait
	procShare // Process Memory Details alone has this one and those below
	procShareAnonymous
	procShareFile
	procShareMemory
	procSharedClean
	procSharedDirty
	procPrivateClean
	procPrivateDirty
	procDetailSwap
	procSwapShare
	procLocked

	procKernel // 1: a thread of the kernel's own
)

const (
	procRunning = procUser | procSystem | procFaults | procMajorFaults | procBlockDelay | procReads |
		procWrites |
		procBytesRead | procBytesWritten | procDiskRead | procDiskWritten | procWait
	procGauges = procThreads | procVirtual | procResident | procUnshared | procPeakVirtual |
		procPeakResident |
		procAnonymous | procSwap | procPageTables | procHandles
)

var processSpec = spec{
	number: 3, index: 230, name: "Process", multi: true, identity: procID | procStarted,
	help: "The processes that can be seen in /proc, kernel threads among them, by the first 15 bytes of " +
		"their names, or together as System where the reader folds them; Idle, which stands for " +
		"the idle time of all processors; and _Total.",
	rows: []row{
		{6, "% Processor Time", counter.Timer100NSec, 0, provider.Novice, procUser | procSystem, nil,
			"Share of time that its threads ran; 100 is one processor. From /proc/PID/stat, utime + stime; " +
				"Idle from /proc/stat, idle + iowait of all processors."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, procUser, nil,
			"Share of time that its threads ran its own code. From /proc/PID/stat, utime."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, procSystem, nil,
			"Share of time that its threads ran in the kernel. From /proc/PID/stat, stime."},
		{172, "Virtual Bytes Peak", counter.LargeRawCount, -6, provider.Expert, procPeakVirtual, nil,
			"The most that Virtual Bytes has been. From /proc/PID/status, VmPeak."},
		{174, "Virtual Bytes", counter.LargeRawCount, -6, provider.Expert, procVirtual, nil,
			"Size of its address space that is in use. From /proc/PID/stat, vsize."},
		{28, "Page Faults/sec", counter.CounterCounter, -1, provider.Novice, procFaults, nil,
			"Page faults, minor and major. From /proc/PID/stat, minflt + majflt."},
		{178, "Working Set Peak", counter.LargeRawCount, -5, provider.Advanced, procPeakResident, nil,
			"The most that Working Set has been. From /proc/PID/status, VmHWM."},
		{180, "Working Set", counter.LargeRawCount, -5, provider.Novice, procResident, nil,
			"Its memory that is in RAM. From /proc/PID/statm, resident."},
		{186, "Private Bytes", counter.LargeRawCount, -5, provider.Advanced, procAnonymous | procSwap, nil,
			"Its anonymous (not file-backed) memory, in RAM and in swap. From /proc/PID/status, RssAnon + " +
				"VmSwap. Unlike on Windows only what was touched, not what was promised."},
		{680, "Thread Count", counter.RawCount, 0, provider.Advanced, procThreads, nil,
			"Its threads. From /proc/PID/stat, num_threads; Idle has one for each processor."},
		{684, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, procStarted, nil,
			"Seconds since it started. From /proc/PID/stat, starttime, and /proc/stat, btime."},
		{784, "ID Process", counter.RawCount, -1, provider.Novice, procID, nil,
			"Its process id in the process namespace of /proc. The name of the directory /proc/PID."},
		{1410, "Creating Process ID", counter.RawCount, -1, provider.Novice, procParent, nil,
			"Process id of its parent. From /proc/PID/stat, ppid. Unlike on Windows it changes when the " +
				"parent ends; 0 is a parent that cannot be seen."},
		{952, "Handle Count", counter.RawCount, 0, provider.Advanced, procHandles, nil,
			"Its open file descriptors. The size of the directory /proc/PID/fd; before Linux 6.2 the " +
				"number of its entries, not permitted for processes of others without CAP_SYS_PTRACE. " +
				"Unlike on Windows other kinds of handles are not among them."},
		{1412, "IO Read Operations/sec", counter.BulkCount, 0, provider.Advanced, procReads, nil,
			"Calls that read. From /proc/PID/io, syscr." + ioDifference},
		{1414, "IO Write Operations/sec", counter.BulkCount, 0, provider.Advanced, procWrites, nil,
			"Calls that write. From /proc/PID/io, syscw." + ioDifference},
		{1416, "IO Data Operations/sec", counter.BulkCount, 0, provider.Advanced, procReads | procWrites, nil,
			"Calls that read or write. From /proc/PID/io, syscr + syscw." + ioDifference},
		{1420, "IO Read Bytes/sec", counter.BulkCount, 0, provider.Advanced, procBytesRead, nil,
			"Bytes read. From /proc/PID/io, rchar." + ioDifference},
		{1422, "IO Write Bytes/sec", counter.BulkCount, 0, provider.Advanced, procBytesWritten, nil,
			"Bytes written. From /proc/PID/io, wchar." + ioDifference},
		{1424, "IO Data Bytes/sec", counter.BulkCount, 0, provider.Advanced, procBytesRead |
			procBytesWritten, nil,
			"Bytes read and written. From /proc/PID/io, rchar + wchar." + ioDifference},
		{1478, "Working Set - Private", counter.LargeRawCount, -5, provider.Novice, procUnshared, nil,
			"Its memory in RAM that is neither file-backed nor shared memory. From /proc/PID/statm, " +
				"resident - shared. Unlike on Windows pages shared with a parent since a fork are " +
				"among them."},
		{220, "Disk Read Bytes/sec", counter.BulkCount, 0, provider.Advanced, procDiskRead, nil,
			"Bytes that were read from block devices for it. From /proc/PID/io, read_bytes."},
		{222, "Disk Write Bytes/sec", counter.BulkCount, 0, provider.Advanced, procDiskWritten, nil,
			"Bytes that it caused to be written to block devices. From /proc/PID/io, write_bytes - " +
				"cancelled_write_bytes, which can fall."},
		{titleSwap, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, procSwap, nil,
			"Its memory in swap. From /proc/PID/status, VmSwap."},
		{titlePageTable, "Page Table Bytes", counter.LargeRawCount, -5, provider.Expert, procPageTables, nil,
			"Memory for its page tables. From /proc/PID/status, VmPTE."},
		{titleMajorFaults, "Major Faults/sec", counter.CounterCounter, 0, provider.Advanced,
			procMajorFaults, nil,
			"Page faults that had to wait for a device. From /proc/PID/stat, majflt."},
		{titleBlockDelay, "% Block I/O Delay Time", counter.Timer100NSec, 0, provider.Expert,
			procBlockDelay, nil,
			"Share of time that its threads waited for block devices. From /proc/PID/stat, " +
				"delayacct_blkio_ticks, where kernel.task_delayacct is 1."},
		{titlePriority, "Scheduler Priority", counter.RawCount, 0, provider.Expert, procPriority, nil,
			"Its priority in the scheduler: 0 is the highest, up to 99 real-time, 100 to 139 by nice. From " +
				"/proc/PID/stat, priority + 100; deadline threads are 0."},
		{titleWait, "% Processor Wait Time", counter.Timer100NSec, 0, provider.Expert, procWait, nil,
			"Share of time that its first thread was ready and waited for a processor. From " +
				"/proc/PID/schedstat, field 2."},
	},
}

const ioDifference = " Unlike on Windows of read and write calls on anything; recv, send, mapped files and " +
	"io_uring are not among them. Not permitted for processes of others without CAP_SYS_PTRACE, and for " +
	"_Total over them."
