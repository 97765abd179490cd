package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Control Group object. Times are in 100 ns, sizes in bytes.
const (
	groupTime fields = 1 << iota
	groupUser
	groupSystem
	groupThrottled
	groupThrottledTime
	groupMemory
	groupLimit
	groupSwap
	groupKills
	groupReadBytes
	groupWriteBytes
	groupReads
	groupWrites
	groupTasks
	groupCPUSome
	groupCPUFull
	groupMemorySome
	groupMemoryFull
	groupIOSome
	groupIOFull
)

const groupIO = groupReadBytes | groupWriteBytes | groupReads | groupWrites

var groupSpec = spec{
	number: 34, index: titleControlGroup, name: "Control Group", multi: true,
	help: "The control groups below /sys/fs/cgroup by their paths, with all that is below them; / is the " +
		"root, which a container sees as its own group. From cgroup v2, " +
		"and on a machine with controllers of cgroup v1 from these, each from its own tree. What no " +
		"controller counts for a group is missing. Groups more than 8 levels deep are left out.",
	rows: []row{
		{6, "% Processor Time", counter.Timer100NSec, 0, provider.Novice, groupTime, nil,
			"Share of time that its threads ran; 100 is one processor. From /sys/fs/cgroup, cpu.stat, " +
				"usage_usec; in v1 cpuacct.usage."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, groupUser, nil,
			"Share of time that its threads ran their own code. From /sys/fs/cgroup, cpu.stat, user_usec; " +
				"in v1 cpuacct.stat, user."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, groupSystem, nil,
			"Share of time that its threads ran in the kernel. From /sys/fs/cgroup, cpu.stat, system_usec; " +
				"in v1 cpuacct.stat, system."},
		{titleThrottled, "Throttled Periods/sec", counter.CounterCounter, 0, provider.Advanced,
			groupThrottled, nil,
			"How often it had used up its processor time for a period. From /sys/fs/cgroup, cpu.stat, " +
				"nr_throttled."},
		{titleThrottledTime, "% Throttled Time", counter.Timer100NSec, 0, provider.Advanced,
			groupThrottledTime, nil,
			"Share of time that it stood still as it had used up its processor time, summed over " +
				"processors. From /sys/fs/cgroup, cpu.stat, throttled_usec; in v1 throttled_time."},
		{titleMemory, "Memory Bytes", counter.LargeRawCount, -6, provider.Novice, groupMemory, nil,
			"Its memory in RAM, file cache and kernel memory among it. From /sys/fs/cgroup, " +
				"memory.current; in v1 memory.usage_in_bytes. The root of v2 has none."},
		{titleMemoryLimit, "Memory Limit Bytes", counter.LargeRawCount, -6, provider.Novice, groupLimit, nil,
			"How much memory it can have. From /sys/fs/cgroup, memory.max; in v1 memory.limit_in_bytes. " +
				"Missing where there is no limit of its own."},
		{titleSwap, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, groupSwap, nil,
			"Its memory in swap. From /sys/fs/cgroup, memory.swap.current; in v1 memory.stat, total_swap."},
		{titleOOMKills, "OOM Kills", counter.RawCount, 0, provider.Advanced, groupKills, nil,
			"Its processes that the kernel ended for want of memory. From /sys/fs/cgroup, memory.events, " +
				"oom_kill; in v1 memory.oom_control, those of groups below not among them."},
		{220, "Disk Read Bytes/sec", counter.BulkCount, -4, provider.Novice, groupReadBytes, nil,
			"Bytes read from block devices. From /sys/fs/cgroup, io.stat, rbytes of all devices; in v1 " +
				"blkio.throttle.io_service_bytes_recursive. " + groupLayers},
		{222, "Disk Write Bytes/sec", counter.BulkCount, -4, provider.Novice, groupWriteBytes, nil,
			"Bytes written to block devices. From /sys/fs/cgroup, io.stat, wbytes of all devices; in v1 " +
				"blkio.throttle.io_service_bytes_recursive. " + groupLayers},
		{214, "Disk Reads/sec", counter.CounterCounter, 0, provider.Advanced, groupReads, nil,
			"Reads from block devices. From /sys/fs/cgroup, io.stat, rios of all devices; in v1 " +
				"blkio.throttle.io_serviced_recursive. " + groupLayers},
		{216, "Disk Writes/sec", counter.CounterCounter, 0, provider.Advanced, groupWrites, nil,
			"Writes to block devices. From /sys/fs/cgroup, io.stat, wios of all devices; in v1 " +
				"blkio.throttle.io_serviced_recursive. " + groupLayers},
		{titleTasks, "Tasks", counter.RawCount, 0, provider.Advanced, groupTasks, nil,
			"Its processes and threads. From /sys/fs/cgroup, pids.current. The root of v2 has none."},
		{titleCPUSome, "% Some Processor Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			groupCPUSome, nil,
			"Share of time in which at least one of its threads waited for a processor. From " +
				"/sys/fs/cgroup, cpu.pressure, some, total."},
		{titleCPUFull, "% Full Processor Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			groupCPUFull, nil,
			"Share of time in which all of its threads with work to do waited for a processor. From " +
				"/sys/fs/cgroup, cpu.pressure, full, total. Missing for the root, where it has no meaning."},
		{titleMemorySome, "% Some Memory Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			groupMemorySome, nil,
			"Share of time in which at least one of its threads waited for memory. From /sys/fs/cgroup, " +
				"memory.pressure, some, total."},
		{titleMemoryFull, "% Full Memory Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			groupMemoryFull, nil,
			"Share of time in which all of its threads with work to do waited for memory. From " +
				"/sys/fs/cgroup, memory.pressure, full, total."},
		{titleIOSome, "% Some I/O Stalled Time", counter.Timer100NSec, 0, provider.Advanced, groupIOSome, nil,
			"Share of time in which at least one of its threads waited for I/O. From /sys/fs/cgroup, " +
				"io.pressure, some, total."},
		{titleIOFull, "% Full I/O Stalled Time", counter.Timer100NSec, 0, provider.Advanced, groupIOFull, nil,
			"Share of time in which all of its threads with work to do waited for I/O. From " +
				"/sys/fs/cgroup, io.pressure, full, total."},
	},
}

const groupLayers = "Devices that lie on others, as those of the device mapper do, count the same once more."
