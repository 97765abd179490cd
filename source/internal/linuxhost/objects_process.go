package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/provider"
)

// Objects of processes and threads. See spec for the form of the tables.

// Fields of the Process object that only the table uses.
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
	procChildUser
	procChildSystem
	procChildMinflt
	procChildMajflt
	procOwner
	procGroup
)

var processObject = &spec{
	Object: provider.Object{
		Index: titles.Process, Name: "Process", Multi: true,
		Help: "The processes visible in /proc, by the first 15 bytes of their names. Kernel threads are " +
			"processes, or one instance System if folding is enabled. Idle has the idle time of all " +
			"processors. IO counters cover read and write calls on all descriptors, but not recv, send, " +
			"mapped files and io_uring. Values from /proc/PID/io of other users' processes require " +
			"CAP_SYS_PTRACE, and so does a _Total that includes them.",
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
				{procParent, "4"}, {procGroup, "5"}, {procFlags, "9"}, {procMinflt, "10"}, {procChildMinflt, "11"},
				{procMajflt, "12"}, {procChildMajflt, "13"}, {procThreads, "20"}, {procStarted, "22"},
				{procVirtual, "23"}}),
			in(unitTicks, []at{
				{procUser, "14"}, {procSystem, "15"}, {procChildUser, "16"}, {procChildSystem, "17"},
				{procBlockDelay, "42"}}),
			in(unitPriority, []at{{procPriority, "18"}}),
		),
		fileOfColumns("statm",
			in(unitPages, []at{{procResident, "2"}, {procShared, "3"}}),
		).derive(procUnshared, less(procResident, procShared)),
		fileOfLines("status",
			in(unitKB, []at{
				{procVmPeak, "VmPeak"}, {procVmHWM, "VmHWM"}, {procRssAnon, "RssAnon"}, {procVmPTE, "VmPTE"},
				{procVmSwap, "VmSwap"}}),
			in(unitNumber, []at{{procOwner, "Uid"}}),
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
	table: []entry{
		{titles.ProcessorTime, "% Processor Time", counter.Timer100NSec, 0, provider.Novice,
			sum(procUser | procSystem),
			"Percentage of time that threads of the process ran; 100 is one processor. From " +
				"/proc/PID/stat, utime + stime; Idle from /proc/stat, idle + iowait of all processors."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, sum(procUser),
			"Percentage of time that threads of the process ran in user mode. From /proc/PID/stat, " +
				"utime."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, sum(procSystem),
			"Percentage of time that threads of the process ran in the kernel. From /proc/PID/stat, " +
				"stime."},
		{172, "Virtual Bytes Peak", counter.LargeRawCount, -6, provider.Expert, sum(procVmPeak),
			"Largest value of Virtual Bytes. From /proc/PID/status, VmPeak."},
		{174, "Virtual Bytes", counter.LargeRawCount, -6, provider.Expert, sum(procVirtual),
			"Size of the address space in use. From /proc/PID/stat, vsize."},
		{28, "Page Faults/sec", counter.CounterCounter, -1, provider.Novice, sum(procMinflt | procMajflt),
			"Page faults, minor and major. From /proc/PID/stat, minflt + majflt."},
		{178, "Working Set Peak", counter.LargeRawCount, -5, provider.Advanced, sum(procVmHWM),
			"Largest value of Working Set. From /proc/PID/status, VmHWM."},

		{titles.WorkingSet, "Working Set", counter.LargeRawCount, -5, provider.Novice, sum(procResident),
			"Memory in RAM. From /proc/PID/statm, resident."},
		{186, "Private Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(procRssAnon | procVmSwap),
			"Anonymous memory (not file-backed) in RAM and in swap. From /proc/PID/status, RssAnon + " +
				"VmSwap. Unlike on Windows, memory that is reserved but was never used is not included."},
		{680, "Thread Count", counter.RawCount, 0, provider.Advanced, sum(procThreads),
			"Number of threads. From /proc/PID/stat, num_threads; Idle has one for each processor."},

		{titles.ElapsedTime, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, sum(procStarted),
			"Seconds since the process started. From /proc/PID/stat, starttime, and the clocks CLOCK_REALTIME and " +
				"CLOCK_BOOTTIME."},

		{titles.IDProcess, "ID Process", counter.RawCount, -1, provider.Novice, sum(procID),
			"Process id in the PID namespace of /proc. From the name of the directory /proc/PID."},
		{1410, "Creating Process ID", counter.RawCount, -1, provider.Novice, sum(procParent),
			"Process id of the parent. From /proc/PID/stat, ppid. Unlike on Windows, it changes when the " +
				"parent ends, and is 0 if the parent is not visible."},
		{952, "Handle Count", counter.RawCount, 0, provider.Advanced, sum(procHandles),
			"Number of open file descriptors. From the size of the directory /proc/PID/fd; before Linux " +
				"6.2 the number of its entries, which requires CAP_SYS_PTRACE for processes of other " +
				"users. Unlike on Windows, other handles are not included."},
		{1412, "IO Read Operations/sec", counter.BulkCount, 0, provider.Advanced, sum(procSyscr),
			"Read calls. From /proc/PID/io, syscr."},
		{1414, "IO Write Operations/sec", counter.BulkCount, 0, provider.Advanced, sum(procSyscw),
			"Write calls. From /proc/PID/io, syscw."},
		{1416, "IO Data Operations/sec", counter.BulkCount, 0, provider.Advanced,
			sum(procSyscr | procSyscw),
			"Read and write calls. From /proc/PID/io, syscr + syscw."},
		{1420, "IO Read Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procRchar),
			"Bytes read. From /proc/PID/io, rchar."},
		{1422, "IO Write Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procWchar),
			"Bytes written. From /proc/PID/io, wchar."},
		{1424, "IO Data Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procRchar | procWchar),
			"Bytes read and written. From /proc/PID/io, rchar + wchar."},
		{1478, "Working Set - Private", counter.LargeRawCount, -5, provider.Novice, sum(procUnshared),
			"Memory in RAM that is neither file-backed nor shared memory. From /proc/PID/statm, resident " +
				"- shared. Unlike on Windows, pages shared with a parent since a fork are included."},
		{220, "Disk Read Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procReadBytes),
			"Bytes read from block devices for the process. From /proc/PID/io, read_bytes."},
		{222, "Disk Write Bytes/sec", counter.BulkCount, 0, provider.Advanced, sum(procWritten),
			"Bytes written to block devices for the process. From /proc/PID/io, write_bytes - " +
				"cancelled_write_bytes, which can decrease."},
		{100042, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, sum(procVmSwap),
			"Memory in swap. From /proc/PID/status, VmSwap."},
		{100030, "Page Table Bytes", counter.LargeRawCount, -5, provider.Expert, sum(procVmPTE),
			"Memory for page tables. From /proc/PID/status, VmPTE."},

		{titles.MajorFaults, "Major Faults/sec", counter.CounterCounter, 0, provider.Advanced, sum(procMajflt),
			"Page faults that waited for a device. From /proc/PID/stat, majflt."},
		{100046, "% Block I/O Delay Time", counter.Timer100NSec, 0, provider.Expert,
			sum(procBlockDelay),
			"Percentage of time that threads waited for block devices. From /proc/PID/stat, " +
				"delayacct_blkio_ticks. Requires kernel.task_delayacct = 1."},
		{100048, "Scheduler Priority", counter.RawCount, 0, provider.Expert, sum(procPriority),
			"Scheduler priority: 0 to 99 are real-time priorities with 0 the highest, 100 to 139 follow " +
				"from the nice value. From /proc/PID/stat, priority + 100; deadline threads are 0."},
		{100050, "% Processor Wait Time", counter.Timer100NSec, 0, provider.Expert, sum(procWait),
			"Percentage of time that the first thread waited for a processor. From /proc/PID/schedstat, " +
				"field 2."},

		{titles.EndedChildrenTime, "% Ended Children Time", counter.Timer100NSec, 0, provider.Expert,
			sum(procChildUser | procChildSystem),
			"Percentage of time that children of the process, and their children, had run. A child is " +
				"added when it has ended and the process waits for it. From /proc/PID/stat, cutime + cstime."},

		{titles.EndedChildrenFaults, "Ended Children Page Faults/sec", counter.BulkCount, -1,
			provider.Expert, sum(procChildMinflt | procChildMajflt),
			"Page faults of children that have ended, as in % Ended Children Time. From /proc/PID/stat, " +
				"cminflt + cmajflt."},

		{titles.EndedChildrenMajorFaults, "Ended Children Major Faults/sec", counter.BulkCount, 0,
			provider.Expert, sum(procChildMajflt),
			"Page faults of ended children that waited for a device. From /proc/PID/stat, cmajflt."},

		{titles.UserID, "User ID", counter.RawCount, 0, provider.Expert, sum(procOwner),
			"Id of the user that owns the process: its real user id. From /proc/PID/status, Uid."},
		{100060, "Process Group ID", counter.RawCount, 0, provider.Expert, sum(procGroup),
			"Id of the group of processes that receives signals of a terminal. From /proc/PID/stat, pgrp."},
	},
}

// Fields of the Thread object that only the table uses.
const (
	threadWaited fields = 1 << (iota + 8)
	threadSwitches
	threadVoluntaryCtxtSwitches
	threadNonvoluntaryCtxtSwitches
)

var threadObject = &spec{
	Object: provider.Object{
		Index: titles.Thread, Name: "Thread", Multi: true,
		Help: "The threads of the processes visible in /proc. Unlike on Windows, a thread's instance " +
			"name is its id, which never changes, and Idle has no threads.",
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
	table: []entry{
		{146, "Context Switches/sec", counter.CounterCounter, -1, provider.Wizard, sum(threadSwitches),
			"Times that the thread was scheduled onto a processor. From /proc/PID/task/TID/schedstat, " +
				"field 3; if the kernel has no schedstat, from status, voluntary_ctxt_switches + " +
				"nonvoluntary_ctxt_switches."},

		{titles.ProcessorTime, "% Processor Time", counter.Timer100NSec, 0, provider.Novice, sum(threadTime),
			"Percentage of time that the thread ran; 100 is one processor. From " +
				"/proc/PID/task/TID/schedstat, field 1, which may lag by a clock tick; if the kernel has " +
				"no schedstat, from stat, utime + stime."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, sum(threadUser),
			"Percentage of time that the thread ran in user mode. From /proc/PID/task/TID/stat, utime, " +
				"in clock ticks. The sum with % Privileged Time may differ from % Processor Time."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, sum(threadSystem),
			"Percentage of time that the thread ran in the kernel. From /proc/PID/task/TID/stat, stime, " +
				"in clock ticks. The sum with % User Time may differ from % Processor Time."},

		{titles.ElapsedTime, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, sum(threadStarted),
			"Seconds since the thread started. From /proc/PID/task/TID/stat, starttime, and the clocks " +
				"CLOCK_REALTIME and CLOCK_BOOTTIME."},

		{titles.IDProcess, "ID Process", counter.RawCount, -1, provider.Novice, sum(threadProcess),
			"Id of the thread's process in the PID namespace of /proc. From the name of the directory " +
				"/proc/PID."},

		{titles.IDThread, "ID Thread", counter.RawCount, -1, provider.Novice, sum(threadID),
			"Thread id in the PID namespace of /proc. From the name of the directory /proc/PID/task/TID."},
		{46, "Thread State", counter.RawCount, 0, provider.Wizard, sum(threadState),
			"State: 2 running or ready to run, 4 ended, 5 waiting, 7 unknown. From " +
				"/proc/PID/task/TID/stat, state. Unlike on Windows, ready to run is 2, not 1."},
		{336, "Thread Wait Reason", counter.RawCount, 0, provider.Wizard, sum(threadReason),
			"Reason for waiting if Thread State is 5: 0 kernel (uninterruptible), 5 stopped, 6 requested " +
				"by the program. From /proc/PID/task/TID/stat, state: D, T and S. Unlike on Windows, " +
				"other reasons are not known."},
		{100414, "% Run Queue Wait Time", counter.Timer100NSec, 0, provider.Advanced, sum(threadWaited),
			"Percentage of time that the thread waited for a processor. From " +
				"/proc/PID/task/TID/schedstat, field 2."},
	},
}

// Fields of the Process Memory Details object that only the table uses.
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
		Help: "Detailed memory use of each process with its own address space. From " +
			"/proc/PID/smaps_rollup. Reading it locks the process's memory map, which slows the process " +
			"down. Processes of other users require CAP_SYS_PTRACE, and so does a _Total that includes " +
			"them.",
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
	table: []entry{
		{100418, "Proportional Set Bytes", counter.LargeRawCount, -5, provider.Novice, sum(detailsPss),
			"Memory in RAM, each page divided by the number of processes that share it. From " +
				"/proc/PID/smaps_rollup, Pss."},
		{100420, "Proportional Anonymous Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPssAnon),
			"Anonymous part (not file-backed) of Proportional Set Bytes. From /proc/PID/smaps_rollup, " +
				"Pss_Anon."},
		{100422, "Proportional File Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPssFile),
			"File-backed part of Proportional Set Bytes. From /proc/PID/smaps_rollup, Pss_File."},
		{100424, "Proportional Shared Memory Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPssShmem),
			"Part of Proportional Set Bytes that is shared memory or tmpfs. From /proc/PID/smaps_rollup, " +
				"Pss_Shmem."},
		{100426, "Private Clean Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsPrivateClean),
			"Unmodified memory in RAM that no other process has mapped. From /proc/PID/smaps_rollup, " +
				"Private_Clean."},
		{100428, "Private Dirty Bytes", counter.LargeRawCount, -5, provider.Novice,
			sum(detailsPrivateDirty),
			"Modified memory in RAM that no other process has mapped. From /proc/PID/smaps_rollup, " +
				"Private_Dirty."},
		{100430, "Shared Clean Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsSharedClean),
			"Unmodified memory in RAM that other processes have also mapped. From " +
				"/proc/PID/smaps_rollup, Shared_Clean."},
		{100432, "Shared Dirty Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsSharedDirty),
			"Modified memory in RAM that other processes have also mapped. From /proc/PID/smaps_rollup, " +
				"Shared_Dirty."},
		{100042, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, sum(detailsSwap),
			"Memory in swap. From /proc/PID/smaps_rollup, Swap."},
		{100434, "Proportional Swap Bytes", counter.LargeRawCount, -5, provider.Advanced,
			sum(detailsSwapPss),
			"Memory in swap, each page divided by the number of processes that share it. From " +
				"/proc/PID/smaps_rollup, SwapPss."},
		{100436, "Locked Bytes", counter.LargeRawCount, -5, provider.Expert, sum(detailsLocked),
			"Memory locked in RAM, each page divided by the number of processes that share it. From " +
				"/proc/PID/smaps_rollup, Locked."},

		{titles.ElapsedTime, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, sum(procStarted),
			"Seconds since the process started. From /proc/PID/stat, starttime, and the clocks CLOCK_REALTIME and " +
				"CLOCK_BOOTTIME."},

		{titles.IDProcess, "ID Process", counter.RawCount, -1, provider.Novice, sum(procID),
			"Process id in the PID namespace of /proc. From the name of the directory /proc/PID."},
	},
}
