package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/provider"
)

// Objects of the machine as a whole. See spec for the form of the tables.

// Fields of the System object that only the table uses.
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
		Help: "The machine as a whole. In a container, these are the host's values, except Processes.",
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
			in(unitAfterSlash, []at{{systemThreads, "4"}}),
		),
	},
	table: []entry{
		{146, "Context Switches/sec", counter.CounterCounter, -2, provider.Advanced, sum(systemCtxt),
			"Switches from one thread to another. From /proc/stat, ctxt."},
		{674, "System Up Time", counter.ElapsedTime, -5, provider.Novice, sum(systemBoot),
			"Seconds since the machine started, including suspended time. From the clocks CLOCK_REALTIME " +
				"and CLOCK_BOOTTIME, and /proc/stat, btime."},
		{44, "Processor Queue Length", counter.RawCount, 1, provider.Wizard,
			less(systemProcsRunning, systemOnline),
			"Threads ready to run, minus one for each processor. The reader is counted as running. From " +
				"/proc/stat, procs_running less the processors online. Unlike on Windows, this is a " +
				"lower bound: threads may wait for one processor while another is idle."},
		{248, "Processes", counter.RawCount, 1, provider.Wizard, sum(systemProcesses),
			"Processes visible to the reader, plus one for Idle. Missing if the mount option hidepid " +
				"hides processes. From the number of directories /proc/PID."},
		{250, "Threads", counter.RawCount, 1, provider.Wizard, sum(systemOnline | systemThreads),
			"Threads, including one idle thread for each processor. From /proc/loadavg, the number after " +
				"the slash."},
		{246, "Total Interrupts/sec", counter.CounterCounter, -2, provider.Novice,
			sum(systemInterrupts),
			"Interrupts of all kinds on all processors. From /proc/stat, first number of intr."},
		{100000, "Processes Created/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(systemForks),
			"Processes and threads created. From /proc/stat, processes."},
		{100002, "Runnable Tasks", counter.RawCount, 1, provider.Advanced, sum(systemProcsRunning),
			"Threads running or ready to run, including the reader. From /proc/stat, procs_running."},
		{100004, "Blocked Tasks", counter.RawCount, 1, provider.Advanced, sum(systemProcsBlocked),
			"Threads waiting for I/O to complete. From /proc/stat, procs_blocked."},
		{100006, "Load Average 1 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sum(systemLoad1),
			"Threads running, ready to run or in uninterruptible sleep, times 100, averaged over about 1 " +
				"min. From /proc/loadavg, field 1."},
		{100008, "Load Average 5 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sum(systemLoad5),
			"Threads running, ready to run or in uninterruptible sleep, times 100, averaged over about 5 " +
				"min. From /proc/loadavg, field 2."},
		{100010, "Load Average 15 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sum(systemLoad15),
			"Threads running, ready to run or in uninterruptible sleep, times 100, averaged over about " +
				"15 min. From /proc/loadavg, field 3."},
	},
}

// Fields of the Processor object that only the table uses.
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
		Help: "The processors that are online. _Total is the average of times and the sum of counts. " +
			"Percentages are of elapsed time; vmstat(8) and iostat(1) use the sum of all times. C-states " +
			"are states of the kernel's driver and may differ from the hardware's. With more than 64 " +
			"processors, C-states and Interrupts/sec of single processors are read only if requested by " +
			"name. In a container, these are the host's values.",
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
	table: []entry{
		{titles.ProcessorTime, "% Processor Time", counter.TimerInv100NSec, 0, provider.Novice, sum(cpuIdle),
			"Percentage of time that the processor was not idle, including time used by other virtual " +
				"machines. From /proc/stat, cpuN: all except idle + iowait."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuUser | cpuNice),
			"Percentage of time spent in user mode. From /proc/stat, cpuN: user + nice."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(cpuSystem | cpuIrq | cpuSoftirq),
			"Percentage of time spent in the kernel, including interrupts. From /proc/stat, cpuN: system + " +
				"irq + softirq."},
		{148, "Interrupts/sec", counter.CounterCounter, -2, provider.Novice, sum(cpuInterrupts),
			"Interrupts of all kinds. From /proc/interrupts, the sum of the processor's column without " +
				"the row TLB; _Total from /proc/stat, intr."},
		{696, "% DPC Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuSoftirq),
			"Percentage of time spent in softirqs, Linux's deferred procedure calls. From /proc/stat, " +
				"cpuN: softirq. Unlike on Windows, most kernels sample it at the timer tick, so it is " +
				"often 0."},
		{698, "% Interrupt Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuIrq),
			"Percentage of time spent in hardware interrupts. From /proc/stat, cpuN: irq. Unlike on " +
				"Windows, most kernels sample it at the timer tick, so it is often 0."},
		{1334, "DPCs Queued/sec", counter.CounterCounter, 0, provider.Advanced, sum(cpuDPCs),
			"Softirqs, Linux's deferred procedure calls. From /proc/softirqs, the sum of the processor's " +
				"column; _Total from /proc/stat, softirq. Unlike on Windows, it counts softirqs when " +
				"they run."},
		{1746, "% Idle Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuIdle),
			"Percentage of time that the processor was idle, including time waiting for I/O. From " +
				"/proc/stat, cpuN: idle + iowait."},
		{1748, "% C1 Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuC1Time),
			"Percentage of time spent in C1, the lightest idle state. From " +
				"/sys/devices/system/cpu/cpuN/cpuidle, time of states named C1 or WFI."},
		{1750, "% C2 Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuC2Time),
			"Percentage of time spent in C2. From /sys/devices/system/cpu/cpuN/cpuidle, time of states " +
				"named C2."},
		{1752, "% C3 Time", counter.Timer100NSec, 0, provider.Wizard, sum(cpuC3Time),
			"Percentage of time spent in C3 or deeper idle states. From " +
				"/sys/devices/system/cpu/cpuN/cpuidle, time of states named C3 or higher."},
		{1754, "C1 Transitions/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuC1Entries),
			"Entries into C1. From /sys/devices/system/cpu/cpuN/cpuidle, usage of states named C1 or " +
				"WFI."},
		{1756, "C2 Transitions/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuC2Entries),
			"Entries into C2. From /sys/devices/system/cpu/cpuN/cpuidle, usage of states named C2."},
		{1758, "C3 Transitions/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuC3Entries),
			"Entries into C3 or deeper idle states. From /sys/devices/system/cpu/cpuN/cpuidle, usage of " +
				"states named C3 or higher."},
		{100012, "% Steal Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuSteal),
			"Percentage of time that the hypervisor used for other virtual machines. From /proc/stat, " +
				"cpuN: steal."},
		{100014, "% I/O Wait Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuIOWait),
			"Percentage of time that the processor was idle and I/O was in progress. Included in % Idle " +
				"Time. From /proc/stat, cpuN: iowait, which the kernel documents as unreliable."},
		{100016, "% Nice Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuNice),
			"Percentage of time spent in processes with lowered priority (nice). Included in % User Time. " +
				"From /proc/stat, cpuN: nice."},
		{100018, "% Guest Time", counter.Timer100NSec, 0, provider.Advanced, sum(cpuGuest | cpuGuestNice),
			"Percentage of time spent in virtual machines that this machine runs. Included in % User Time. " +
				"From /proc/stat, cpuN: guest + guest_nice."},
	},
}

// Fields of the Memory object that only the table uses.
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
		Help: "The machine's memory. In a container, these are the host's values; Control Group has the " +
			"container's memory.",
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
	table: []entry{
		{28, "Page Faults/sec", counter.CounterCounter, -1, provider.Novice, sum(memPgfault),
			"Page faults, minor and major. From /proc/vmstat, pgfault."},
		{24, "Available Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memMemAvailable),
			"Memory available to new programs without swapping. From /proc/meminfo, MemAvailable. Unlike " +
				"on Windows, it is an estimate by the kernel: free and reclaimable memory, less " +
				"reserves."},
		{26, "Committed Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memCommittedAS),
			"Memory that programs have reserved. From /proc/meminfo, Committed_AS. Unlike on Windows, it " +
				"may exceed Commit Limit."},
		{30, "Commit Limit", counter.LargeRawCount, -6, provider.Wizard, sum(memCommitLimit),
			"Memory that programs can reserve. From /proc/meminfo, CommitLimit. Unlike on Windows, it is " +
				"enforced only if vm.overcommit_memory is 2."},
		{1406, "% Committed Bytes In Use", counter.RawFraction, 0, provider.Expert,
			ratio(memCommittedPages, memLimitPages),
			"Committed Bytes as a percentage of Commit Limit, both in pages. From /proc/meminfo, " +
				"Committed_AS and CommitLimit. Unlike on Windows, it may exceed 100."},
		{1380, "Available KBytes", counter.LargeRawCount, 0, provider.Expert, sum(memAvailableKB),
			"Available Bytes in units of 1,024 bytes. From /proc/meminfo, MemAvailable."},
		{1382, "Available MBytes", counter.LargeRawCount, 0, provider.Expert, sum(memAvailableMB),
			"Available Bytes in units of 1,048,576 bytes, rounded down. From /proc/meminfo, " +
				"MemAvailable."},
		{42, "Page Reads/sec", counter.CounterCounter, 0, provider.Expert, sum(memPgmajfault),
			"Page faults that waited for a device. One operation may read several pages. From " +
				"/proc/vmstat, pgmajfault."},
		{40, "Pages/sec", counter.CounterCounter, 0, provider.Novice, sum(memPgpgin | memPswpout),
			"Sum of Pages Input/sec and Pages Output/sec. From /proc/vmstat, pgpgin and pswpout."},
		{822, "Pages Input/sec", counter.CounterCounter, 0, provider.Novice, sum(memPgpgin),
			"Pages read from block devices. From /proc/vmstat, pgpgin. Unlike on Windows, direct I/O is " +
				"included."},
		{48, "Pages Output/sec", counter.CounterCounter, 0, provider.Advanced, sum(memPswpout),
			"Pages written to swap, unlike bo of vmstat(8). From /proc/vmstat, pswpout. Unlike on " +
				"Windows, writes to mapped files are not included."},
		{58, "Pool Nonpaged Bytes", counter.LargeRawCount, -5, provider.Advanced, sum(memSUnreclaim),
			"Kernel memory that cannot be reclaimed. From /proc/meminfo, SUnreclaim. Unlike on Windows, " +
				"only slabs are included."},
		{818, "Cache Bytes", counter.LargeRawCount, -5, provider.Advanced,
			less(memBuffers|memCached, memShmem),
			"File contents in memory, without shared memory, tmpfs and slabs, which vmstat(8) includes. " +
				"From /proc/meminfo, Buffers + Cached - Shmem. Unlike on Windows, it is not the system's " +
				"working set."},
		{1676, "Free & Zero Page List Bytes", counter.LargeRawCount, 0, provider.Wizard,
			sum(memMemFree),
			"Unused memory. From /proc/meminfo, MemFree."},
		{1678, "Modified Page List Bytes", counter.LargeRawCount, 0, provider.Wizard,
			sum(memDirty | memWriteback),
			"File contents in memory that must be written to disk. From /proc/meminfo, Dirty + " +
				"Writeback. Unlike on Windows, memory on its way to swap is not included."},
		{100020, "Swap Pages Input/sec", counter.CounterCounter, 0, provider.Advanced, sum(memPswpin),
			"Pages read from swap. From /proc/vmstat, pswpin."},
		{100022, "Swap Pages Output/sec", counter.CounterCounter, 0, provider.Advanced, sum(memPswpout),
			"Pages written to swap. From /proc/vmstat, pswpout."},
		{100024, "Pages Reclaimed/sec", counter.CounterCounter, -1, provider.Expert,
			sum(memPgstealAnon | memPgstealFile),
			"Pages reclaimed from programs and from the file cache. From /proc/vmstat, pgsteal_anon + " +
				"pgsteal_file."},
		{100026, "OOM Kills", counter.RawCount, 0, provider.Advanced, sum(memOomKill),
			"Processes killed because memory ran out, since the machine started. From /proc/vmstat, " +
				"oom_kill."},
		{100028, "Slab Reclaimable Bytes", counter.LargeRawCount, -5, provider.Expert,
			sum(memSReclaimable),
			"Reclaimable kernel memory in slabs. From /proc/meminfo, SReclaimable."},
		{100030, "Page Table Bytes", counter.LargeRawCount, -5, provider.Expert, sum(memPageTables),
			"Memory for page tables. From /proc/meminfo, PageTables."},
		{100032, "Kernel Stack Bytes", counter.LargeRawCount, -5, provider.Expert, sum(memKernelStack),
			"Memory for kernel stacks of threads. From /proc/meminfo, KernelStack."},
		{100034, "Anonymous Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memAnonPages),
			"Anonymous memory (not file-backed) of processes. From /proc/meminfo, AnonPages."},
		{100036, "Mapped Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memMapped),
			"File contents that programs have mapped. From /proc/meminfo, Mapped."},
		{100038, "Shared Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memShmem),
			"Shared memory and the contents of tmpfs. From /proc/meminfo, Shmem."},
		{100040, "Huge Page Bytes", counter.LargeRawCount, -6, provider.Expert, sum(memHugetlb),
			"Memory reserved for huge pages of all sizes. From /proc/meminfo, Hugetlb."},
	},
}

var infoObject = &spec{
	Object: provider.Object{
		Index: 100400, Name: "Processor Information", Multi: true,
		Help: "The processors that are online, named by NUMA node and position in the node. Each node " +
			"has a total, and _Total covers all: the average of times and frequencies, the sum of " +
			"counts. C-states are states of the kernel's driver and may differ from the hardware's. " +
			"Frequencies are read only if requested by name, at most every 10 seconds, because reading " +
			"may wake the processor. With more than 64 processors, the same applies to C-states, Idle " +
			"Break Events/sec, and interrupts of single processors. In a container, these are the host's " +
			"values.",
	},
	number:   30,
	first:    6,
	rowsFrom: processorObject,
	files:    processorObject.files,
	source:   newInfoSource,
	sums: sums{
		running: cpuC1Entries | cpuC2Entries | cpuC3Entries | cpuIdleBreaks | cpuClocks,
		averaged: cpuIdle | cpuIOWait | cpuC1Time | cpuC2Time | cpuC3Time | cpuFrequency | cpuFrequencyShare |
			cpuUser | cpuNice | cpuSystem | cpuIrq | cpuSoftirq | cpuSteal | cpuGuest | cpuGuestNice,
		gauges: cpuFrequency | cpuFrequencyShare,
	},
	table: []entry{
		{100402, "Processor Number", counter.RawCount, 0, provider.Advanced, sum(cpuNumber),
			"The kernel's number of the processor. From /proc/stat, the N of cpuN."},
		{100404, "Processor Frequency", counter.RawCount, 0, provider.Novice, sum(cpuFrequency),
			"Current frequency in MHz. From /sys/devices/system/cpu/cpuN/cpufreq, scaling_cur_freq. " +
				"Unlike on Windows, _Total is the average."},
		{100406, "% of Maximum Frequency", counter.RawCount, 0, provider.Novice, sum(cpuFrequencyShare),
			"Current frequency as a percentage of the maximum frequency. From " +
				"/sys/devices/system/cpu/cpuN/cpufreq, scaling_cur_freq and cpuinfo_max_freq. Unlike on " +
				"Windows, _Total is the average."},
		{100408, "% Priority Time", counter.TimerInv100NSec, 0, provider.Advanced, sum(cpuIdle | cpuNice),
			"Percentage of time spent on work without lowered priority (nice). From /proc/stat, cpuN: " +
				"all except idle + iowait + nice. Unlike on Windows, kernel time of processes with " +
				"lowered priority is included."},
		{100410, "Clock Interrupts/sec", counter.CounterCounter, 0, provider.Advanced, sum(cpuClocks),
			"Interrupts from the processor's local timer. From /proc/interrupts, the processor's column " +
				"in the row LOC (x86) or arch_timer (ARM)."},
		{100412, "Idle Break Events/sec", counter.BulkCount, 0, provider.Wizard, sum(cpuIdleBreaks),
			"Exits from idle states. From /sys/devices/system/cpu/cpuN/cpuidle, usage of all states. " +
				"Unlike on Windows, it counts entries into idle states."},
	},
}

// Fields of the Paging File object that only the table uses.
const (
	pagingSize fields = 1 << iota
	pagingUsed
)

var pagingObject = &spec{
	Object: provider.Object{
		Index: 700, Name: "Paging File", Multi: true,
		Help: "Swap files and swap devices. _Total is the sum. From /proc/swaps. Pages in zram still use " +
			"memory, and pages in zswap count as used.",
	},
	number: 13,
	source: newPagingSource,
	files: fileTables{
		fileOfTable("proc/swaps",
			in(unitNumber, []at{{pagingSize, "Size"}, {pagingUsed, "Used"}}),
		),
	},
	table: []entry{
		{702, "% Usage", counter.RawFraction, 0, provider.Advanced, ratio(pagingUsed, pagingSize),
			"Percentage of the swap space that is in use. From /proc/swaps, Used of Size."},
	},
}

var objectsObject = &spec{
	Object: provider.Object{
		Index: 260, Name: "Objects",
		Help: "Number of processes and threads, as in System. Linux does not count other kernel objects.",
	},
	number: 14,
	files:  systemObject.files,
	source: newSystemSource,
	table: []entry{
		{248, "Processes", counter.RawCount, 0, provider.Novice, sum(systemProcesses),
			"Processes visible to the reader, plus one for Idle. Missing if the mount option hidepid " +
				"hides processes. From the number of directories /proc/PID."},
		{250, "Threads", counter.RawCount, 0, provider.Novice, sum(systemOnline | systemThreads),
			"Threads, including one idle thread for each processor. From /proc/loadavg, the number after " +
				"the slash."},
	},
}
