package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/provider"
)

// The objects of processes and threads; spec.go says what a table means.

// The figures of the Process object that only its table knows.
const (
	procMinflt fields = 1 << (iota + 12)
	procMajflt
	procPriority
	procResident
	procShared
	procUnshared
	procVmPeak
	procVmHWM
	procRssAnon
	procVmPTE
	procVmSwap
	procRchar
	procWchar
	procSyscr
	procSyscw
	procReadBytes
	procWriteBytes
	procCancelledWriteBytes
	procWritten
)

var processObject = &spec{
	Object: provider.Object{
		Index: titles.Process, Name: "Process", Multi: true,
		Help: "The processes visible in /proc, by the first 15 bytes of their names. Kernel threads are " +
			"included, or grouped as System if the reader asks for that. Two more instances are Idle, " +
			"which holds the idle time of all processors, and _Total.",
	},
	number:   3,
	source:   newProcessSource,
	identity: procID | procStarted,
	sums: sums{
		running: procUser | procSystem | procBlockDelay | procWait | procMinflt | procMajflt | procRchar |
			procWchar | procSyscr | procSyscw | procReadBytes | procWritten,
		gauges: procThreads | procVirtual | procHandles | procResident | procUnshared | procVmPeak | procVmHWM |
			procRssAnon | procVmPTE | procVmSwap,
	},
	files: fileTables{
		fileOfColumns("stat",
			in(unitNumber, []at{
				{procParent, "4"}, {procFlags, "9"}, {procMinflt, "10"}, {procMajflt, "12"}, {procThreads, "20"},
				{procStarted, "22"}, {procVirtual, "23"}}),
			in(unitTicks, []at{{procUser, "14"}, {procSystem, "15"}, {procBlockDelay, "42"}}),
			in(unitPriority, []at{{procPriority, "18"}}),
		),
		fileOfColumns("statm",
			in(unitPages, []at{{procResident, "2"}, {procShared, "3"}}),
		).derive(procUnshared, less(procResident, procShared)),
		fileOfLines("status",
			in(unitKB, []at{
				{procVmPeak, "VmPeak"}, {procVmHWM, "VmHWM"}, {procRssAnon, "RssAnon"}, {procVmPTE, "VmPTE"},
				{procVmSwap, "VmSwap"}}),
		),
		fileOfLines("io",
			in(unitNumber, []at{{procRchar, "rchar"}, {procWchar, "wchar"}, {procSyscr, "syscr"}, {procSyscw, "syscw"},
				{procReadBytes, "read_bytes"}, {procWriteBytes, "write_bytes"},
				{procCancelledWriteBytes, "cancelled_write_bytes"}}),
		).derive(procWritten, less(procWriteBytes, procCancelledWriteBytes)),
		fileOfColumns("schedstat",
			in(unitNanoseconds, []at{{procRan, "1"}, {procWait, "2"}}),
		),
	},
	rows: []row{
		newRow(titles.ProcessorTime, "% Processor Time", counter.Timer100NSec, 0, provider.Novice,
			sum(procUser|procSystem),
			"Percentage of time that its threads ran; 100 is one processor. From /proc/PID/stat, utime + "+
				"stime; Idle from /proc/stat, idle + iowait of all processors."),
		newRow(142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, sum(procUser),
			"Percentage of time that its threads ran in user mode. From /proc/PID/stat, utime."),
		newRow(144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, sum(procSystem),
			"Percentage of time that its threads ran in the kernel. From /proc/PID/stat, stime."),
		newRow(172, "Virtual Bytes Peak", counter.LargeRawCount, -6, provider.Expert, sum(procVmPeak),
			"Largest value that Virtual Bytes has had. From /proc/PID/status, VmPeak."),
		newRow(174, "Virtual Bytes", counter.LargeRawCount, -6, provider.Expert, sum(procVirtual),
			"Size of its address space in use. From /proc/PID/stat, vsize."),
		newRow(28, "Page Faults/sec", counter.CounterCounter, -1, provider.Novice, sum(procMinflt|procMajflt),
			"Page faults, minor and major. From /proc/PID/stat, minflt + majflt."),
		newRow(178, "Working Set Peak", counter.LargeRawCount, -5, provider.Advanced, sum(procVmHWM),
			"Largest value that Working Set has had. From /proc/PID/status, VmHWM."),
		newRow(titles.WorkingSet, "Working Set", counter.LargeRawCount, -5, provider.Novice, sum(procResident),
			"Its memory in RAM. From /proc/PID/statm, resident."),
		newRow(186, "Private Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(procRssAnon|procVmSwap),
			"Its anonymous (not file-backed) memory, in RAM and in swap. From /proc/PID/status, RssAnon + "+
				"VmSwap. Unlike on Windows, this is only memory that it has touched, not all that it has "+
				"reserved."),
		newRow(680, "Thread Count", counter.RawCount, 0, provider.Advanced, sum(procThreads),
			"Number of its threads. From /proc/PID/stat, num_threads; Idle has one for each processor."),
		newRow(titles.ElapsedTime, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, sum(procStarted),
			"Seconds since it started. From /proc/PID/stat, starttime, and /proc/stat, btime."),
		newRow(titles.IDProcess, "ID Process", counter.RawCount, -1, provider.Novice, sum(procID),
			"Its process id in the PID namespace of /proc. From the name of the directory /proc/PID."),
		newRow(1410, "Creating Process ID", counter.RawCount, -1, provider.Novice, sum(procParent),
			"Process id of its parent. From /proc/PID/stat, ppid. Unlike on Windows, it changes when the "+
				"parent ends, and 0 is a parent that is not visible."),
		newRow(952, "Handle Count", counter.RawCount, 0, provider.Advanced, sum(procHandles),
			"Number of its open file descriptors. From the size of the directory /proc/PID/fd; before "+
				"Linux 6.2 from the number of its entries, which requires CAP_SYS_PTRACE for processes of "+
				"other users. Unlike on Windows, other kinds of handles are not included."),
		newRow(1412, "IO Read Operations/sec", counter.BulkCount, 0, provider.Advanced, sum(procSyscr),
			"Calls that read data. From /proc/PID/io, syscr. Unlike on Windows, this covers read and write "+
				"calls on any descriptor, but not recv, send, mapped files and io_uring. Processes of other "+
				"users require CAP_SYS_PTRACE, and so does a _Total that includes them."),
		newRow(1414, "IO Write Operations/sec", counter.BulkCount, 0, provider.Advanced, sum(procSyscw),
			"Calls that write data. From /proc/PID/io, syscw. Unlike on Windows, this covers read and "+
				"write calls on any descriptor, but not recv, send, mapped files and io_uring. Processes of "+
				"other users require CAP_SYS_PTRACE, and so does a _Total that includes them."),
		newRow(1416, "IO Data Operations/sec", counter.BulkCount, 0, provider.Advanced,
			sum(procSyscr|procSyscw),
			"Calls that read or write data. From /proc/PID/io, syscr + syscw. Unlike on Windows, this "+
				"covers read and write calls on any descriptor, but not recv, send, mapped files and io_uring. "+
				"Processes of other users require CAP_SYS_PTRACE, and so does a _Total that includes them."),
		newRow(1420, "IO Read Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procRchar),
			"Bytes read. From /proc/PID/io, rchar. Unlike on Windows, this covers read and write calls on "+
				"any descriptor, but not recv, send, mapped files and io_uring. Processes of other users "+
				"require CAP_SYS_PTRACE, and so does a _Total that includes them."),
		newRow(1422, "IO Write Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procWchar),
			"Bytes written. From /proc/PID/io, wchar. Unlike on Windows, this covers read and write calls "+
				"on any descriptor, but not recv, send, mapped files and io_uring. Processes of other users "+
				"require CAP_SYS_PTRACE, and so does a _Total that includes them."),
		newRow(1424, "IO Data Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procRchar|procWchar),
			"Bytes read and written. From /proc/PID/io, rchar + wchar. Unlike on Windows, this covers read "+
				"and write calls on any descriptor, but not recv, send, mapped files and io_uring. Processes "+
				"of other users require CAP_SYS_PTRACE, and so does a _Total that includes them."),
		newRow(1478, "Working Set - Private", counter.LargeRawCount, -5, provider.Novice, sum(procUnshared),
			"Its memory in RAM that is neither file-backed nor shared memory. From /proc/PID/statm, "+
				"resident - shared. Unlike on Windows, pages shared with a parent since a fork are included."),
		newRow(220, "Disk Read Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procReadBytes),
			"Bytes read from block devices on its behalf. From /proc/PID/io, read_bytes."),
		newRow(222, "Disk Write Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procWritten),
			"Bytes written to block devices on its behalf. From /proc/PID/io, write_bytes - "+
				"cancelled_write_bytes, which can decrease."),
		newRow(100042, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, sum(procVmSwap),
			"Its memory in swap. From /proc/PID/status, VmSwap."),
		newRow(100030, "Page Table Bytes", counter.LargeRawCount, -5, provider.Expert, sum(procVmPTE),
			"Memory used by its page tables. From /proc/PID/status, VmPTE."),
		newRow(100044, "Major Faults/sec", counter.CounterCounter, 0, provider.Advanced, sum(procMajflt),
			"Page faults that had to wait for a device. From /proc/PID/stat, majflt."),
		newRow(100046, "% Block I/O Delay Time", counter.Timer100NSec, 0, provider.Expert,
			sum(procBlockDelay),
			"Percentage of time that its threads waited for block devices. From /proc/PID/stat, "+
				"delayacct_blkio_ticks. Requires kernel.task_delayacct = 1."),
		newRow(100048, "Scheduler Priority", counter.RawCount, 0, provider.Expert, sum(procPriority),
			"Its scheduler priority; 0 is the highest. 0 to 99 are real-time priorities, 100 to 139 follow "+
				"from the nice value. From /proc/PID/stat, priority + 100; deadline threads are 0."),
		newRow(100050, "% Processor Wait Time", counter.Timer100NSec, 0, provider.Expert, sum(procWait),
			"Percentage of time that its first thread was ready to run and waited for a processor. From "+
				"/proc/PID/schedstat, field 2."),
	},
}

// The figures of the Thread object that only its table knows.
const (
	threadWaited fields = 1 << (iota + 8)
	threadSwitches
	threadVoluntaryCtxtSwitches
	threadNonvoluntaryCtxtSwitches
)

var threadObject = &spec{
	Object: provider.Object{
		Index: titles.Thread, Name: "Thread", Multi: true,
		Help: "The threads of the processes visible in /proc, by thread id, and _Total. Unlike on Windows, a " +
			"thread's instance name is its id, which never changes, and Idle has no threads.",
	},
	number:   31,
	first:    6,
	parent:   titles.Process,
	source:   newThreadSource,
	identity: threadID | threadStarted | threadProcess,
	sums: sums{
		running: threadTime | threadUser | threadSystem | threadWaited | threadSwitches,
	},
	files: fileTables{
		fileOfColumns("stat",
			in(unitNumber, []at{{threadStarted, "22"}}),
			in(unitTicks, []at{{threadUser, "14"}, {threadSystem, "15"}}),
		),
		fileOfColumns("schedstat",
			in(unitNumber, []at{{threadSwitches, "3"}}),
			in(unitNanoseconds, []at{{threadTime, "1"}, {threadWaited, "2"}}),
		),
		fileOfLines("status",
			in(unitNumber, []at{{threadVoluntaryCtxtSwitches, "voluntary_ctxt_switches"},
				{threadNonvoluntaryCtxtSwitches, "nonvoluntary_ctxt_switches"}}),
		).derive(threadSwitches, sum(threadVoluntaryCtxtSwitches|threadNonvoluntaryCtxtSwitches)),
	},
	rows: []row{
		newRow(146, "Context Switches/sec", counter.CounterCounter, -1, provider.Wizard, sum(threadSwitches),
			"Times that it was scheduled onto a processor. From /proc/PID/task/TID/schedstat, field 3; if "+
				"the kernel has no schedstat, from status, voluntary_ctxt_switches + "+
				"nonvoluntary_ctxt_switches."),
		newRow(titles.ProcessorTime, "% Processor Time", counter.Timer100NSec, 0, provider.Novice, sum(threadTime),
			"Percentage of time that it ran; 100 is one processor. From /proc/PID/task/TID/schedstat, "+
				"field 1, which may lag by a clock tick; if the kernel has no schedstat, from stat, utime + "+
				"stime."),
		newRow(142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, sum(threadUser),
			"Percentage of time that it ran in user mode. From /proc/PID/task/TID/stat, utime, in clock "+
				"ticks: with % Privileged Time it may not add up to % Processor Time."),
		newRow(144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, sum(threadSystem),
			"Percentage of time that it ran in the kernel. From /proc/PID/task/TID/stat, stime, in clock "+
				"ticks: with % User Time it may not add up to % Processor Time."),
		newRow(titles.ElapsedTime, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, sum(threadStarted),
			"Seconds since it started. From /proc/PID/task/TID/stat, starttime, and /proc/stat, btime."),
		newRow(titles.IDProcess, "ID Process", counter.RawCount, -1, provider.Novice, sum(threadProcess),
			"The id of its process in the PID namespace of /proc. From the name of the directory /proc/PID."),
		newRow(titles.IDThread, "ID Thread", counter.RawCount, -1, provider.Novice, sum(threadID),
			"Its thread id in the PID namespace of /proc. From the name of the directory "+
				"/proc/PID/task/TID."),
		newRow(46, "Thread State", counter.RawCount, 0, provider.Wizard, sum(threadState),
			"Its state: 2 running, 4 ended, 5 waiting, 7 unknown. From /proc/PID/task/TID/stat, state. "+
				"Unlike on Windows, 2 also means ready to run, which Windows shows as 1."),
		newRow(336, "Thread Wait Reason", counter.RawCount, 0, provider.Wizard, sum(threadReason),
			"Why it waits: 0 the kernel (uninterruptible), 5 stopped, 6 a wait that its program requested. "+
				"From /proc/PID/task/TID/stat, state: D, T and S. Unlike on Windows, there are no other "+
				"reasons. Valid only while Thread State is 5."),
		newRow(100414, "% Run Queue Wait Time", counter.Timer100NSec, 0, provider.Advanced, sum(threadWaited),
			"Percentage of time that it was ready to run and waited for a processor. From "+
				"/proc/PID/task/TID/schedstat, field 2."),
	},
}

// The figures of the Process Memory Details object that only its table knows.
const (
	detailsPss fields = 1 << (iota + 12)
	detailsPssAnon
	detailsPssFile
	detailsPssShmem
	detailsSharedClean
	detailsSharedDirty
	detailsPrivateClean
	detailsPrivateDirty
	detailsSwap
	detailsSwapPss
	detailsLocked
)

var detailsObject = &spec{
	Object: provider.Object{
		Index: 100416, Name: "Process Memory Details", Multi: true, Costly: true,
		Help: "Detailed memory use of each process that has its own address space, and _Total. From " +
			"/proc/PID/smaps_rollup. Reading it walks and locks the process's memory map, which slows the " +
			"process down. Processes of other users require CAP_SYS_PTRACE, and so does a _Total that " +
			"includes them.",
	},
	number:   32,
	source:   newProcessSource,
	identity: procID | procStarted,
	sums: sums{
		gauges: detailsPss | detailsPssAnon | detailsPssFile | detailsPssShmem | detailsSharedClean |
			detailsSharedDirty | detailsPrivateClean | detailsPrivateDirty | detailsSwap | detailsSwapPss |
			detailsLocked,
	},
	files: fileTables{
		fileOfColumns("stat",
			in(unitNumber, []at{{procStarted, "22"}, {procVirtual, "23"}}),
		),
		fileOfLines("smaps_rollup",
			in(unitKB, []at{{detailsPss, "Pss"}, {detailsPssAnon, "Pss_Anon"}, {detailsPssFile, "Pss_File"},
				{detailsPssShmem, "Pss_Shmem"}, {detailsSharedClean, "Shared_Clean"},
				{detailsSharedDirty, "Shared_Dirty"}, {detailsPrivateClean, "Private_Clean"},
				{detailsPrivateDirty, "Private_Dirty"}, {detailsSwap, "Swap"}, {detailsSwapPss, "SwapPss"},
				{detailsLocked, "Locked"}}),
		),
	},
	rows: []row{
		newRow(100418, "Proportional Set Bytes", counter.LargeRawCount, -5, provider.Novice, sum(detailsPss),
			"Its memory in RAM, each page divided by the number of processes that share it. From "+
				"/proc/PID/smaps_rollup, Pss."),
		newRow(100420, "Proportional Anonymous Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPssAnon),
			"Anonymous (not file-backed) part of Proportional Set Bytes. From /proc/PID/smaps_rollup, "+
				"Pss_Anon."),
		newRow(100422, "Proportional File Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPssFile),
			"File-backed part of Proportional Set Bytes. From /proc/PID/smaps_rollup, Pss_File."),
		newRow(100424, "Proportional Shared Memory Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPssShmem),
			"Part of Proportional Set Bytes that is shared memory or tmpfs. From /proc/PID/smaps_rollup, "+
				"Pss_Shmem."),
		newRow(100426, "Private Clean Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPrivateClean),
			"Its memory in RAM that no other process has mapped and that is not modified. From "+
				"/proc/PID/smaps_rollup, Private_Clean."),
		newRow(100428, "Private Dirty Bytes", counter.LargeRawCount, -5, provider.Novice,
			sum(detailsPrivateDirty),
			"Its memory in RAM that no other process has mapped and that is modified. From "+
				"/proc/PID/smaps_rollup, Private_Dirty."),
		newRow(100430, "Shared Clean Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsSharedClean),
			"Its memory in RAM that other processes have also mapped and that is not modified. From "+
				"/proc/PID/smaps_rollup, Shared_Clean."),
		newRow(100432, "Shared Dirty Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsSharedDirty),
			"Its memory in RAM that other processes have also mapped and that is modified. From "+
				"/proc/PID/smaps_rollup, Shared_Dirty."),
		newRow(100042, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, sum(detailsSwap),
			"Its memory in swap. From /proc/PID/smaps_rollup, Swap."),
		newRow(100434, "Proportional Swap Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsSwapPss),
			"Its memory in swap, each page divided by the number of processes that share it. From "+
				"/proc/PID/smaps_rollup, SwapPss."),
		newRow(100436, "Locked Bytes", counter.LargeRawCount, -5, provider.Expert, sum(detailsLocked),
			"Its memory that is locked in RAM, each page divided by the number of processes that share it. "+
				"From /proc/PID/smaps_rollup, Locked."),
		newRow(titles.ElapsedTime, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, sum(procStarted),
			"Seconds since it started. From /proc/PID/stat, starttime, and /proc/stat, btime."),
		newRow(titles.IDProcess, "ID Process", counter.RawCount, -1, provider.Novice, sum(procID),
			"Its process id in the PID namespace of /proc. From the name of the directory /proc/PID."),
	},
}
