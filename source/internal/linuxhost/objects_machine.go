package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/provider"
)

// The objects of the machine as a whole; spec.go says what a table means.

// The figures of the System object that only its table knows.
const (
	systemCtxt fields = 1 << (iota + 6)
	systemForks
	systemProcsRunning
	systemProcsBlocked
	systemLoad1
	systemLoad5
	systemLoad15
	systemThreads
)

var systemObject = &spec{
	Object: provider.Object{
		Index: titles.System, Name: "System",
		Help: "The machine as a whole. Inside a container these are the host's values, except Processes.",
	},
	number: 0,
	first:  44,
	source: newSystemSource,
	files: fileTables{
		fileOfLines("proc/stat",
			in(unitNumber, []at{{systemInterrupts, "intr"}, {systemCtxt, "ctxt"}, {systemBootTime, "btime"},
				{systemForks, "processes"}, {systemProcsRunning, "procs_running"},
				{systemProcsBlocked, "procs_blocked"}, {systemSoftirqs, "softirq"}}),
		),
		fileOfColumns("proc/loadavg",
			in(unitHundredths, []at{{systemLoad1, "1"}, {systemLoad5, "2"}, {systemLoad15, "3"}}),
			in(unitBehindSlash, []at{{systemThreads, "4"}}),
		),
	},
	rows: []row{
		newRow(146, "Context Switches/sec", counter.CounterCounter, -2, provider.Advanced, sum(systemCtxt),
			"Switches of the processors from one thread to another. From /proc/stat, ctxt."),
		newRow(674, "System Up Time", counter.ElapsedTime, -5, provider.Novice, sum(systemBoot),
			"Seconds since the machine started, including suspended time. From /proc/stat, btime, and the "+
				"clock CLOCK_BOOTTIME."),
		newRow(44, "Processor Queue Length", counter.RawCount, 1, provider.Wizard,
			less(systemProcsRunning, systemOnline),
			"Threads that are ready to run, minus one for each processor. From /proc/stat, procs_running "+
				"less the processors online. Unlike on Windows, this is a lower bound: threads may wait for "+
				"one processor while another is idle. The process that reads the counter is counted as running."),
		newRow(248, "Processes", counter.RawCount, 1, provider.Wizard, sum(systemProcesses),
			"Processes that are visible to the reader, plus one for Idle. Missing if /proc hides processes "+
				"(mount option hidepid). From the number of directories /proc/PID."),
		newRow(250, "Threads", counter.RawCount, 1, provider.Wizard, sum(systemOnline|systemThreads),
			"Threads in the whole system, including one idle thread for each processor. From "+
				"/proc/loadavg, the number after the slash."),
		newRow(246, "Total Interrupts/sec", counter.CounterCounter, -2, provider.Novice,
			sum(systemInterrupts),
			"Interrupts of all kinds on all processors. From /proc/stat, first number of intr."),
		newRow(100000, "Processes Created/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(systemForks),
			"Processes and threads created. From /proc/stat, processes."),
		newRow(100002, "Runnable Tasks", counter.RawCount, 1, provider.Advanced, sum(systemProcsRunning),
			"Threads that are running or ready to run, including the one that reads the counter. From "+
				"/proc/stat, procs_running."),
		newRow(100004, "Blocked Tasks", counter.RawCount, 1, provider.Advanced, sum(systemProcsBlocked),
			"Threads that are waiting for I/O to complete. From /proc/stat, procs_blocked."),
		newRow(100006, "Load Average 1 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sum(systemLoad1),
			"Threads that are running, ready to run or in uninterruptible sleep, times 100. The kernel "+
				"averages them over about 1 minute. From /proc/loadavg, field 1."),
		newRow(100008, "Load Average 5 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sum(systemLoad5),
			"Threads that are running, ready to run or in uninterruptible sleep, times 100. The kernel "+
				"averages them over about 5 minutes. From /proc/loadavg, field 2."),
		newRow(100010, "Load Average 15 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sum(systemLoad15),
			"Threads that are running, ready to run or in uninterruptible sleep, times 100. The kernel "+
				"averages them over about 15 minutes. From /proc/loadavg, field 3."),
	},
}

// The figures of the Processor object that only its table knows.
const (
	cpuUser fields = 1 << (iota + 15)
	cpuNice
	cpuSystem
	cpuIrq
	cpuSoftirq
	cpuSteal
	cpuGuest
	cpuGuestNice
)

var processorObject = &spec{
	Object: provider.Object{
		Index: titles.Processor, Name: "Processor", Multi: true,
		Help: "The processors that are online. _Total is the average of times and the sum of counts. Inside " +
			"a container these are the host's. Percentages are of elapsed time; vmstat(8) and iostat(1) " +
			"show percentages of the sum of all times, which the kernel may undercount.",
	},
	number: 1,
	source: newProcessorSource,
	sums: sums{
		running: cpuC1Entries | cpuC2Entries | cpuC3Entries,
		averaged: cpuIdle | cpuIOWait | cpuC1Time | cpuC2Time | cpuC3Time | cpuUser | cpuNice | cpuSystem |
			cpuIrq | cpuSoftirq | cpuSteal | cpuGuest | cpuGuestNice,
	},
	files: fileTables{
		fileOfColumns("proc/stat",
			in(unitTicks, []at{
				{cpuUser, "1"}, {cpuNice, "2"}, {cpuSystem, "3"}, {cpuIdle, "4"}, {cpuIOWait, "5"}, {cpuIrq, "6"},
				{cpuSoftirq, "7"}, {cpuSteal, "8"}, {cpuGuest, "9"}, {cpuGuestNice, "10"}}),
		),
	},
	rows: []row{
		newRow(titles.ProcessorTime, "% Processor Time", counter.TimerInv100NSec, 0, provider.Novice, sum(cpuIdle),
			"Percentage of time that the processor was not idle. Time that the hypervisor gave to other "+
				"virtual machines counts as busy. From /proc/stat, cpuN: all except idle + iowait."),
		newRow(142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuUser|cpuNice),
			"Percentage of time spent in user mode. From /proc/stat, cpuN: user + nice."),
		newRow(144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(cpuSystem|cpuIrq|cpuSoftirq),
			"Percentage of time spent in the kernel, including interrupts. From /proc/stat, cpuN: system + "+
				"irq + softirq."),
		newRow(148, "Interrupts/sec", counter.CounterCounter, -2, provider.Novice, sum(cpuInterrupts),
			"Interrupts of all kinds. From /proc/interrupts, the sum of the processor's column without the "+
				"row TLB; _Total from /proc/stat, intr. With more than 64 processors, single processors are "+
				"read only on request."),
		newRow(696, "% DPC Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuSoftirq),
			"Percentage of time spent in softirqs, Linux's deferred procedure calls. From /proc/stat, "+
				"cpuN: softirq. Unlike on Windows, most kernels sample this at the timer tick, so it is often "+
				"0."),
		newRow(698, "% Interrupt Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuIrq),
			"Percentage of time spent in hardware interrupts. From /proc/stat, cpuN: irq. Unlike on "+
				"Windows, most kernels sample this at the timer tick, so it is often 0."),
		newRow(1334, "DPCs Queued/sec", counter.CounterCounter, 0, provider.Advanced, sum(cpuDPCs),
			"Softirqs, Linux's deferred procedure calls. From /proc/softirqs, the sum of the processor's "+
				"column; _Total from /proc/stat, softirq. Unlike on Windows, this counts softirqs that ran, "+
				"not those that were queued."),
		newRow(1746, "% Idle Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuIdle),
			"Percentage of time that the processor was idle, including while I/O was outstanding. From "+
				"/proc/stat, cpuN: idle + iowait."),
		newRow(1748, "% C1 Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuC1Time),
			"Percentage of time spent in C1, the lightest idle states. From "+
				"/sys/devices/system/cpu/cpuN/cpuidle, time of the states named C1 or WFI. Unlike on Windows, "+
				"the states are those of the kernel driver, which may differ from the processor's. With more "+
				"than 64 processors, this is read only on request."),
		newRow(1750, "% C2 Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuC2Time),
			"Percentage of time spent in C2, the middle idle states. From "+
				"/sys/devices/system/cpu/cpuN/cpuidle, time of the states named C2. Unlike on Windows, the "+
				"states are those of the kernel driver, which may differ from the processor's. With more than "+
				"64 processors, this is read only on request."),
		newRow(1752, "% C3 Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuC3Time),
			"Percentage of time spent in C3 or deeper idle states. From "+
				"/sys/devices/system/cpu/cpuN/cpuidle, time of the states named C3 and above. Unlike on "+
				"Windows, the states are those of the kernel driver, which may differ from the processor's. "+
				"With more than 64 processors, this is read only on request."),
		newRow(1754, "C1 Transitions/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuC1Entries),
			"Entries of the processor into C1. From /sys/devices/system/cpu/cpuN/cpuidle, usage of the "+
				"states named C1 or WFI. Unlike on Windows, the states are those of the kernel driver, which "+
				"may differ from the processor's. With more than 64 processors, this is read only on request."),
		newRow(1756, "C2 Transitions/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuC2Entries),
			"Entries of the processor into C2. From /sys/devices/system/cpu/cpuN/cpuidle, usage of the "+
				"states named C2. Unlike on Windows, the states are those of the kernel driver, which may "+
				"differ from the processor's. With more than 64 processors, this is read only on request."),
		newRow(1758, "C3 Transitions/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuC3Entries),
			"Entries of the processor into C3 or deeper. From /sys/devices/system/cpu/cpuN/cpuidle, usage "+
				"of the states named C3 and above. Unlike on Windows, the states are those of the kernel "+
				"driver, which may differ from the processor's. With more than 64 processors, this is read "+
				"only on request."),
		newRow(100012, "% Steal Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuSteal),
			"Percentage of time that the hypervisor gave to other virtual machines. From /proc/stat, cpuN: "+
				"steal."),
		newRow(100014, "% I/O Wait Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuIOWait),
			"Percentage of time that the processor was idle while I/O was outstanding. Included in % Idle "+
				"Time. From /proc/stat, cpuN: iowait, which the kernel documents as unreliable."),
		newRow(100016, "% Nice Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuNice),
			"Percentage of time spent in processes with lowered priority (nice). Included in % User Time. "+
				"From /proc/stat, cpuN: nice."),
		newRow(100018, "% Guest Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuGuest|cpuGuestNice),
			"Percentage of time spent in virtual machines that this machine runs. Included in % User Time. "+
				"From /proc/stat, cpuN: guest + guest_nice."),
	},
}

// The figures of the Memory object that only its table knows.
const (
	memMemFree fields = 1 << iota
	memMemAvailable
	memBuffers
	memCached
	memDirty
	memWriteback
	memAnonPages
	memMapped
	memShmem
	memSReclaimable
	memSUnreclaim
	memKernelStack
	memPageTables
	memCommitLimit
	memCommittedAS
	memHugetlb
	memAvailableKB
	memAvailableMB
	memCommittedPages
	memLimitPages
	memPgpgin
	memPswpin
	memPswpout
	memPgfault
	memPgmajfault
	memPgstealAnon
	memPgstealFile
	memOomKill
)

var memoryObject = &spec{
	Object: provider.Object{
		Index: titles.Memory, Name: "Memory",
		Help: "The machine's memory. Inside a container these are the host's values; see the container's " +
			"Control Group for its limits.",
	},
	number: 2,
	first:  40,
	source: newPlainSource,
	files: fileTables{
		fileOfLines("proc/meminfo",
			in(unitNumber, []at{{memAvailableKB, "MemAvailable"}}),
			in(unitKB, []at{{memMemFree, "MemFree"}, {memMemAvailable, "MemAvailable"}, {memBuffers, "Buffers"},
				{memCached, "Cached"}, {memDirty, "Dirty"}, {memWriteback, "Writeback"}, {memAnonPages, "AnonPages"},
				{memMapped, "Mapped"}, {memShmem, "Shmem"}, {memSReclaimable, "SReclaimable"},
				{memSUnreclaim, "SUnreclaim"}, {memKernelStack, "KernelStack"}, {memPageTables, "PageTables"},
				{memCommitLimit, "CommitLimit"}, {memCommittedAS, "Committed_AS"}, {memHugetlb, "Hugetlb"}}),
			in(unitKBToMB, []at{{memAvailableMB, "MemAvailable"}}),
			in(unitKBToPages, []at{{memCommittedPages, "Committed_AS"}, {memLimitPages, "CommitLimit"}}),
		),
		fileOfLines("proc/vmstat",
			in(unitNumber, []at{{memPswpin, "pswpin"}, {memPswpout, "pswpout"}, {memPgfault, "pgfault"},
				{memPgmajfault, "pgmajfault"}, {memPgstealAnon, "pgsteal_anon"}, {memPgstealFile, "pgsteal_file"},
				{memOomKill, "oom_kill"}}),
			in(unitKBToPages, []at{{memPgpgin, "pgpgin"}}),
		),
	},
	rows: []row{
		newRow(28, "Page Faults/sec", counter.CounterCounter, -1, provider.Novice, sum(memPgfault),
			"Page faults, minor and major. From /proc/vmstat, pgfault."),
		newRow(24, "Available Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memMemAvailable),
			"Memory available to new programs without swapping. From /proc/meminfo, MemAvailable. Unlike "+
				"on Windows, this is the kernel's estimate: free and reclaimable memory, less reserves."),
		newRow(26, "Committed Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memCommittedAS),
			"Memory that the kernel has promised to programs. From /proc/meminfo, Committed_AS. Unlike on "+
				"Windows, it may exceed the limit, because programs may never touch most of it."),
		newRow(30, "Commit Limit", counter.LargeRawCount, -6, provider.Wizard, sum(memCommitLimit),
			"Memory that the kernel can promise to programs. From /proc/meminfo, CommitLimit. Unlike on "+
				"Windows, it is enforced only if vm.overcommit_memory is 2."),
		newRow(1406, "% Committed Bytes In Use", counter.RawFraction, 0, provider.Expert,
			ratio(memCommittedPages, memLimitPages),
			"Committed Bytes as a percentage of Commit Limit, both in pages. From /proc/meminfo, "+
				"Committed_AS and CommitLimit. Unlike on Windows, it may exceed 100."),
		newRow(1380, "Available KBytes", counter.LargeRawCount, 0, provider.Expert, sum(memAvailableKB),
			"Available Bytes in units of 1,024 bytes. From /proc/meminfo, MemAvailable, the kernel's "+
				"estimate."),
		newRow(1382, "Available MBytes", counter.LargeRawCount, 0, provider.Expert, sum(memAvailableMB),
			"Available Bytes in units of 1,048,576 bytes, rounded down. From /proc/meminfo, MemAvailable, "+
				"the kernel's estimate."),
		newRow(42, "Page Reads/sec", counter.CounterCounter, 0, provider.Expert, sum(memPgmajfault),
			"Page faults that had to wait for a device. These are operations, not pages. From "+
				"/proc/vmstat, pgmajfault."),
		newRow(40, "Pages/sec", counter.CounterCounter, 0, provider.Novice, sum(memPgpgin|memPswpout),
			"Sum of Pages Input/sec and Pages Output/sec, which differ from Windows as described there. "+
				"From /proc/vmstat, pgpgin and pswpout."),
		newRow(822, "Pages Input/sec", counter.CounterCounter, 0, provider.Novice, sum(memPgpgin),
			"Pages read from block devices. From /proc/vmstat, pgpgin. Unlike on Windows, direct I/O is "+
				"included. Swap Pages Input/sec shows only swap."),
		newRow(48, "Pages Output/sec", counter.CounterCounter, 0, provider.Advanced, sum(memPswpout),
			"Pages written to swap; bo of vmstat(8) shows all writes to block devices. From /proc/vmstat, "+
				"pswpout. Unlike on Windows, pages written back to mapped files are not included."),
		newRow(58, "Pool Nonpaged Bytes", counter.LargeRawCount, -5, provider.Advanced, sum(memSUnreclaim),
			"Kernel memory that cannot be reclaimed. From /proc/meminfo, SUnreclaim. Unlike on Windows, "+
				"this is only memory in slabs."),
		newRow(818, "Cache Bytes", counter.LargeRawCount, -5, provider.Advanced,
			less(memBuffers|memCached, memShmem),
			"Memory that holds file contents. From /proc/meminfo, Buffers + Cached - Shmem. Unlike on "+
				"Windows, this is not the system's working set. Shared memory, tmpfs and reclaimable slabs are "+
				"not included; buff and cache of vmstat(8) include them."),
		newRow(1676, "Free & Zero Page List Bytes", counter.LargeRawCount, 0, provider.Wizard,
			sum(memMemFree),
			"Unused memory. From /proc/meminfo, MemFree."),
		newRow(1678, "Modified Page List Bytes", counter.LargeRawCount, 0, provider.Wizard,
			sum(memDirty|memWriteback),
			"File-backed memory that is waiting to be written to disk. From /proc/meminfo, Dirty + "+
				"Writeback. Unlike on Windows, pages that are being swapped out are not included."),
		newRow(100020, "Swap Pages Input/sec", counter.CounterCounter, 0, provider.Advanced, sum(memPswpin),
			"Pages read from swap. From /proc/vmstat, pswpin."),
		newRow(100022, "Swap Pages Output/sec", counter.CounterCounter, 0, provider.Advanced, sum(memPswpout),
			"Pages written to swap. From /proc/vmstat, pswpout."),
		newRow(100024, "Pages Reclaimed/sec", counter.CounterCounter, -1, provider.Expert,
			sum(memPgstealAnon|memPgstealFile),
			"Pages reclaimed from programs and from the file cache. From /proc/vmstat, pgsteal_anon + "+
				"pgsteal_file."),
		newRow(100026, "OOM Kills", counter.RawCount, 0, provider.Advanced, sum(memOomKill),
			"Processes that the kernel killed because memory ran out, since the machine started. From "+
				"/proc/vmstat, oom_kill."),
		newRow(100028, "Slab Reclaimable Bytes", counter.LargeRawCount, -5, provider.Expert,
			sum(memSReclaimable),
			"Kernel memory in slabs that can be reclaimed. From /proc/meminfo, SReclaimable."),
		newRow(100030, "Page Table Bytes", counter.LargeRawCount, -5, provider.Expert, sum(memPageTables),
			"Memory used by page tables. From /proc/meminfo, PageTables."),
		newRow(100032, "Kernel Stack Bytes", counter.LargeRawCount, -5, provider.Expert, sum(memKernelStack),
			"Memory used by the kernel stacks of threads. From /proc/meminfo, KernelStack."),
		newRow(100034, "Anonymous Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memAnonPages),
			"Anonymous (not file-backed) memory of processes. From /proc/meminfo, AnonPages."),
		newRow(100036, "Mapped Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memMapped),
			"File-backed memory that programs have mapped. From /proc/meminfo, Mapped."),
		newRow(100038, "Shared Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memShmem),
			"Shared memory and the contents of tmpfs. From /proc/meminfo, Shmem."),
		newRow(100040, "Huge Page Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memHugetlb),
			"Memory reserved for huge pages of all sizes. From /proc/meminfo, Hugetlb."),
	},
}

var infoObject = &spec{
	Object: provider.Object{
		Index: 100400, Name: "Processor Information", Multi: true,
		Help: "The processors that are online, named by NUMA node and position within the node. Each node " +
			"has a total, and _Total covers all: the average of times and frequencies, the sum of counts. " +
			"Inside a container these are the host's.",
	},
	number: 30,
	first:  6,
	lender: processorObject,
	files:  processorObject.files,
	source: newInfoSource,
	sums: sums{
		running: cpuC1Entries | cpuC2Entries | cpuC3Entries | cpuIdleBreaks | cpuClocks,
		averaged: cpuIdle | cpuIOWait | cpuC1Time | cpuC2Time | cpuC3Time | cpuFrequency | cpuFrequencyShare |
			cpuUser | cpuNice | cpuSystem | cpuIrq | cpuSoftirq | cpuSteal | cpuGuest | cpuGuestNice,
		gauges: cpuFrequency | cpuFrequencyShare,
	},
	rows: []row{
		newRow(100402, "Processor Number", counter.RawCount, 0, provider.Advanced, sum(cpuNumber),
			"The kernel's number of the processor. From /proc/stat, the N of cpuN."),
		newRow(100404, "Processor Frequency", counter.RawCount, 0, provider.Novice, sum(cpuFrequency),
			"Its current frequency in MHz. From /sys/devices/system/cpu/cpuN/cpufreq, scaling_cur_freq. "+
				"Unlike on Windows, _Total is the average. Read only if the object or the counter is requested "+
				"by name, and at most every 10 seconds, because reading may wake the processor."),
		newRow(100406, "% of Maximum Frequency", counter.RawCount, 0, provider.Novice, sum(cpuFrequencyShare),
			"Its current frequency as a percentage of its maximum frequency. From "+
				"/sys/devices/system/cpu/cpuN/cpufreq, scaling_cur_freq and cpuinfo_max_freq. Unlike on "+
				"Windows, _Total is the average. Read only if the object or the counter is requested by name, "+
				"and at most every 10 seconds, because reading may wake the processor."),
		newRow(100408, "% Priority Time", counter.TimerInv100NSec, 0, provider.Advanced, sum(cpuIdle|cpuNice),
			"Percentage of time spent on work without lowered priority (nice). From /proc/stat, cpuN: all "+
				"except idle + iowait + nice. Unlike on Windows, kernel time on behalf of processes with "+
				"lowered priority is included."),
		newRow(100410, "Clock Interrupts/sec", counter.CounterCounter, 0, provider.Advanced, sum(cpuClocks),
			"Interrupts from its local timer. From /proc/interrupts, the processor's column in the row LOC "+
				"(x86) or arch_timer (ARM). With more than 64 processors, this is read only on request."),
		newRow(100412, "Idle Break Events/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuIdleBreaks),
			"Exits of the processor from idle states. From /sys/devices/system/cpu/cpuN/cpuidle, usage of "+
				"all states. Unlike on Windows, this counts entries into idle states. With more than 64 "+
				"processors, this is read only on request."),
	},
}

// The figures of the Paging File object that only its table knows.
const (
	pagingSize fields = 1 << iota
	pagingUsed
)

var pagingObject = &spec{
	Object: provider.Object{
		Index: 700, Name: "Paging File", Multi: true,
		Help: "Swap files and swap devices, and _Total, their sum. From /proc/swaps. Pages in zram still " +
			"occupy memory, and pages that zswap holds in memory count as used.",
	},
	number: 13,
	source: newPagingSource,
	files: fileTables{
		fileOfTable("proc/swaps",
			in(unitNumber, []at{{pagingSize, "Size"}, {pagingUsed, "Used"}}),
		),
	},
	rows: []row{
		newRow(702, "% Usage", counter.RawFraction, 0, provider.Advanced, ratio(pagingUsed, pagingSize),
			"Percentage of the swap space that is in use. From /proc/swaps, Used of Size."),
	},
}

var objectsObject = &spec{
	Object: provider.Object{
		Index: 260, Name: "Objects",
		Help: "Number of processes and threads, as in System. Linux does not count events, semaphores, " +
			"mutexes and sections.",
	},
	number: 14,
	files:  systemObject.files,
	source: newSystemSource,
	rows: []row{
		newRow(248, "Processes", counter.RawCount, 0, provider.Novice, sum(systemProcesses),
			"Processes that are visible to the reader, plus one for Idle. Missing if /proc hides processes "+
				"(mount option hidepid). From the number of directories /proc/PID."),
		newRow(250, "Threads", counter.RawCount, 0, provider.Novice, sum(systemOnline|systemThreads),
			"Threads in the whole system, including one idle thread for each processor. From "+
				"/proc/loadavg, the number after the slash."),
	},
}
