package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/provider"
)

// Objects of pressure and control groups. See spec for the form of the tables.

// Fields of the Pressure Stall object that only the table uses.
const (
	pressureSome fields = 1 << (iota + 4)
	pressureSomeAvg10
	pressureSomeAvg60
	pressureSomeAvg300
)

var pressureObject = &spec{
	Object: provider.Object{
		Index: 100438, Name: "Pressure Stall", Multi: true,
		Help: "Time that threads waited for a resource: cpu, memory, io and irq, if the kernel counts " +
			"them (kernel documentation, \"PSI - Pressure Stall Information\"). From /proc/pressure. In " +
			"a container, these are the host's values.",
	},
	number: 33,
	source: newPressureSource,
	files: fileTables{
		fileOfPairs("proc/pressure",
			in(unitMicroseconds, []at{{pressureSome, "some.total"}, {pressureFull, "full.total"}}),
			in(unitHundredths, []at{{pressureSomeAvg10, "some.avg10"}, {pressureSomeAvg60, "some.avg60"},
				{pressureSomeAvg300, "some.avg300"}, {pressureFull10, "full.avg10"}, {pressureFull60, "full.avg60"},
				{pressureFull300, "full.avg300"}}),
		),
	},
	table: []entry{
		{100440, "% Some Stalled Time", counter.Timer100NSec, 0, provider.Novice, sum(pressureSome),
			"Percentage of time in which at least one thread waited for the resource. From " +
				"/proc/pressure/cpu, memory and io, some, total."},
		{100442, "% Full Stalled Time", counter.Timer100NSec, 0, provider.Novice, sum(pressureFull),
			"Percentage of time in which all non-idle threads waited for the resource. From " +
				"/proc/pressure/memory, io and irq, full, total."},
		{100444, "% Some Stalled Time 10 s Mean", counter.RawFraction, 0, provider.Advanced,
			over(pressureSomeAvg10, 10000),
			"% Some Stalled Time, averaged over about 10 seconds. From /proc/pressure/cpu, memory and " +
				"io, some, avg10."},
		{100446, "% Some Stalled Time 60 s Mean", counter.RawFraction, 0, provider.Advanced,
			over(pressureSomeAvg60, 10000),
			"% Some Stalled Time, averaged over about 60 seconds. From /proc/pressure/cpu, memory and " +
				"io, some, avg60."},
		{100448, "% Some Stalled Time 300 s Mean", counter.RawFraction, 0, provider.Advanced,
			over(pressureSomeAvg300, 10000),
			"% Some Stalled Time, averaged over about 300 seconds. From /proc/pressure/cpu, memory and " +
				"io, some, avg300."},
		{100450, "% Full Stalled Time 10 s Mean", counter.RawFraction, 0, provider.Advanced,
			over(pressureFull10, 10000),
			"% Full Stalled Time, averaged over about 10 seconds. From /proc/pressure/memory, io and " +
				"irq, full, avg10."},
		{100452, "% Full Stalled Time 60 s Mean", counter.RawFraction, 0, provider.Advanced,
			over(pressureFull60, 10000),
			"% Full Stalled Time, averaged over about 60 seconds. From /proc/pressure/memory, io and " +
				"irq, full, avg60."},
		{100454, "% Full Stalled Time 300 s Mean", counter.RawFraction, 0, provider.Advanced,
			over(pressureFull300, 10000),
			"% Full Stalled Time, averaged over about 300 seconds. From /proc/pressure/memory, io and " +
				"irq, full, avg300."},
	},
}

// Fields of the Control Group object that only the table uses.
const (
	groupTime fields = 1 << (iota + 1)
	groupUser
	groupSystem
	groupThrottled
	groupThrottledTime
	groupMemory
	groupLimit
	groupSwap
	groupOomKills
	groupReadBytes
	groupWriteBytes
	groupReads
	groupWrites
	groupTasks
	groupCpuSome
	groupMemorySome
	groupMemoryFull
	groupIoSome
	groupIoFull
)

var groupObject = &spec{
	Object: provider.Object{
		Index: 100456, Name: "Control Group", Multi: true,
		Help: "The control groups below /sys/fs/cgroup, by path. Each includes the groups below it. / is " +
			"the root, which in a container is the container's group. From cgroup v2, or from " +
			"controllers of cgroup v1 if they are mounted. A value is missing if no controller counts it " +
			"for the group. Stacked devices, such as device mapper, count the same I/O again. Groups " +
			"more than 8 levels deep are omitted.",
	},
	number: 34,
	source: newGroupSource,
	trees: []groupTree{
		{"tasks", []string{"sys/fs/cgroup/cpuacct"}, fileTables{
			fileOfColumns("cpuacct.usage",
				in(unitNanoseconds, []at{{groupTime, "1"}}),
			),
			fileOfLines("cpuacct.stat",
				in(unitTicks, []at{{groupUser, "user"}, {groupSystem, "system"}}),
			),
		}},
		{"tasks", []string{"sys/fs/cgroup/cpu"}, fileTables{
			fileOfLines("cpu.stat",
				in(unitNumber, []at{{groupThrottled, "nr_throttled"}}),
				in(unitNanoseconds, []at{{groupThrottledTime, "throttled_time"}}),
			),
		}},
		{"tasks", []string{"sys/fs/cgroup/memory"}, fileTables{
			fileOfColumns("memory.usage_in_bytes",
				in(unitNumber, []at{{groupMemory, "1"}}),
			),
			fileOfColumns("memory.limit_in_bytes",
				in(unitLimit, []at{{groupLimit, "1"}}),
			),
			fileOfLines("memory.stat",
				in(unitNumber, []at{{groupSwap, "total_swap"}}),
			),
			fileOfLines("memory.oom_control",
				in(unitNumber, []at{{groupOomKills, "oom_kill"}}),
			),
		}},
		{"tasks", []string{"sys/fs/cgroup/blkio"}, fileTables{
			fileOfSums("blkio.throttle.io_service_bytes_recursive",
				in(unitNumber, []at{{groupReadBytes, "Read"}, {groupWriteBytes, "Write"}}),
			),
			fileOfSums("blkio.throttle.io_serviced_recursive",
				in(unitNumber, []at{{groupReads, "Read"}, {groupWrites, "Write"}}),
			),
		}},
		{"tasks", []string{"sys/fs/cgroup/pids"}, fileTables{
			fileOfColumns("pids.current",
				in(unitNumber, []at{{groupTasks, "1"}}),
			),
		}},
		{"cgroup.controllers", []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}, fileTables{
			fileOfLines("cpu.stat",
				in(unitNumber, []at{{groupThrottled, "nr_throttled"}}),
				in(unitMicroseconds, []at{
					{groupTime, "usage_usec"}, {groupUser, "user_usec"}, {groupSystem, "system_usec"},
					{groupThrottledTime, "throttled_usec"}}),
			),
			fileOfColumns("memory.current",
				in(unitNumber, []at{{groupMemory, "1"}}),
			),
			fileOfColumns("memory.max",
				in(unitNumber, []at{{groupLimit, "1"}}),
			),
			fileOfColumns("memory.swap.current",
				in(unitNumber, []at{{groupSwap, "1"}}),
			),
			fileOfLines("memory.events",
				in(unitNumber, []at{{groupOomKills, "oom_kill"}}),
			),
			fileOfSums("io.stat",
				in(unitNumber, []at{
					{groupReadBytes, "rbytes"}, {groupWriteBytes, "wbytes"}, {groupReads, "rios"}, {groupWrites, "wios"}}),
			),
			fileOfColumns("pids.current",
				in(unitNumber, []at{{groupTasks, "1"}}),
			),
			fileOfPairs("cpu.pressure",
				in(unitMicroseconds, []at{{groupCpuSome, "some.total"}, {groupCPUFull, "full.total"}}),
			),
			fileOfPairs("memory.pressure",
				in(unitMicroseconds, []at{{groupMemorySome, "some.total"}, {groupMemoryFull, "full.total"}}),
			),
			fileOfPairs("io.pressure",
				in(unitMicroseconds, []at{{groupIoSome, "some.total"}, {groupIoFull, "full.total"}}),
			),
		}},
	},
	table: []entry{
		{titles.ProcessorTime, "% Processor Time", counter.Timer100NSec, 0, provider.Novice, sum(groupTime),
			"Percentage of time that threads of the group ran; 100 is one processor. From " +
				"/sys/fs/cgroup, cpu.stat, usage_usec; in v1 cpuacct.usage."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, sum(groupUser),
			"Percentage of time that threads of the group ran in user mode. From /sys/fs/cgroup, " +
				"cpu.stat, user_usec; in v1 cpuacct.stat, user."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, sum(groupSystem),
			"Percentage of time that threads of the group ran in the kernel. From /sys/fs/cgroup, " +
				"cpu.stat, system_usec; in v1 cpuacct.stat, system."},
		{100458, "Throttled Periods/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(groupThrottled),
			"Periods in which the group was throttled because it had used its processor time. From " +
				"/sys/fs/cgroup, cpu.stat, nr_throttled."},
		{100460, "% Throttled Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(groupThrottledTime),
			"Percentage of time that the group was throttled because it had used its processor time, " +
				"summed over processors. From /sys/fs/cgroup, cpu.stat, throttled_usec; in v1 " +
				"throttled_time."},
		{100462, "Memory Bytes", counter.LargeRawCount, -6, provider.Novice, sum(groupMemory),
			"Memory in RAM, including file cache and kernel memory. From /sys/fs/cgroup, memory.current; " +
				"in v1 memory.usage_in_bytes. Missing for the root of v2."},
		{100464, "Memory Limit Bytes", counter.LargeRawCount, -6, provider.Novice, sum(groupLimit),
			"Largest memory that the group may use. From /sys/fs/cgroup, memory.max; in v1 " +
				"memory.limit_in_bytes. Missing if the group has no limit."},
		{100042, "Swap Bytes", counter.LargeRawCount, -5, provider.Advanced, sum(groupSwap),
			"Memory in swap. From /sys/fs/cgroup, memory.swap.current; in v1 memory.stat, total_swap."},
		{100026, "OOM Kills", counter.RawCount, 0, provider.Advanced, sum(groupOomKills),
			"Processes killed because memory ran out. From /sys/fs/cgroup, memory.events, oom_kill; in " +
				"v1 memory.oom_control, without the groups below."},
		{220, "Disk Read Bytes/sec", counter.BulkCount, -4, provider.Novice, sum(groupReadBytes),
			"Bytes read from block devices. From /sys/fs/cgroup, io.stat, rbytes of all devices; in v1 " +
				"blkio.throttle.io_service_bytes_recursive."},
		{222, "Disk Write Bytes/sec", counter.BulkCount, -4, provider.Novice, sum(groupWriteBytes),
			"Bytes written to block devices. From /sys/fs/cgroup, io.stat, wbytes of all devices; in v1 " +
				"blkio.throttle.io_service_bytes_recursive."},
		{214, "Disk Reads/sec", counter.CounterCounter, 0, provider.Advanced, sum(groupReads),
			"Reads from block devices. From /sys/fs/cgroup, io.stat, rios of all devices; in v1 " +
				"blkio.throttle.io_serviced_recursive."},
		{216, "Disk Writes/sec", counter.CounterCounter, 0, provider.Advanced, sum(groupWrites),
			"Writes to block devices. From /sys/fs/cgroup, io.stat, wios of all devices; in v1 " +
				"blkio.throttle.io_serviced_recursive."},
		{100466, "Tasks", counter.RawCount, 0, provider.Advanced, sum(groupTasks),
			"Number of processes and threads. From /sys/fs/cgroup, pids.current. Missing for the root of " +
				"v2."},
		{100468, "% Some Processor Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(groupCpuSome),
			"Percentage of time in which at least one thread waited for a processor. From " +
				"/sys/fs/cgroup, cpu.pressure, some, total."},
		{100470, "% Full Processor Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(groupCPUFull),
			"Percentage of time in which all non-idle threads waited for a processor. From " +
				"/sys/fs/cgroup, cpu.pressure, full, total. Missing for the root."},
		{100472, "% Some Memory Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(groupMemorySome),
			"Percentage of time in which at least one thread waited for memory. From /sys/fs/cgroup, " +
				"memory.pressure, some, total."},
		{100474, "% Full Memory Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(groupMemoryFull),
			"Percentage of time in which all non-idle threads waited for memory. From /sys/fs/cgroup, " +
				"memory.pressure, full, total."},
		{100476, "% Some I/O Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(groupIoSome),
			"Percentage of time in which at least one thread waited for I/O. From /sys/fs/cgroup, " +
				"io.pressure, some, total."},
		{100478, "% Full I/O Stalled Time", counter.Timer100NSec, 0, provider.Advanced,
			sum(groupIoFull),
			"Percentage of time in which all non-idle threads waited for I/O. From /sys/fs/cgroup, " +
				"io.pressure, full, total."},
	},
}
