package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the PhysicalDisk and LogicalDisk objects. Times are in 100 ns.
const (
	diskReads fields = 1 << iota
	diskReadMerges
	diskReadBytes
	diskReadTime // sum over requests
	diskWrites
	diskWriteMerges
	diskWriteBytes
	diskWriteTime // sum over requests
	diskQueue     // requests in flight
	diskDiscards
	diskFlushes
	diskReadShare  // diskReadTime, of which _Total has the average
	diskWriteShare // diskWriteTime, of which _Total has the average
	diskIdle
	diskClock // the object's clock when the figures were read

	// Of LogicalDisk alone.
	diskSpace // KiB that a full disk holds
	diskFree  // KiB of it that are free
	diskFreeMegabytes
	diskInodes
	diskFreeInodes
)

const (
	diskTransfers = diskReads | diskWrites
	diskBytes     = diskReadBytes | diskWriteBytes
	diskTime      = diskReadTime | diskWriteTime
	diskRunning   = diskTransfers | diskReadMerges | diskWriteMerges | diskBytes | diskTime |
		diskDiscards | diskFlushes
	diskAveraged = diskReadShare | diskWriteShare | diskIdle

	// diskFromStatfs are the figures that statfs(2) gives, diskFromDiskstats
	// those of /proc/diskstats.
	diskFromStatfs    = diskSpace | diskFree | diskFreeMegabytes | diskInodes | diskFreeInodes
	diskFromDiskstats = diskRunning | diskAveraged | diskQueue | diskClock
)

var physicalDiskSpec = spec{
	number: 10, index: 234, name: "PhysicalDisk", multi: true, first: 1,
	help: "Disks, real and virtual ones, and _Total: of shares of time the average, of all else the sum. " +
		"From /proc/diskstats, the devices that have a link device in /sys/block. " +
		"Partitions, loop devices, RAM disks and what is put together of other disks, as by the device " +
		"mapper, are no disks of their own. Inside a container these are the host's.",
	rows: diskRows[spaceRows:],
}

var logicalDiskSpec = spec{
	number: 11, index: 236, name: "LogicalDisk", multi: true, first: spaceRows + 1,
	help: "File systems on block devices by the place where they are mounted, and _Total: of shares of " +
		"time the average, of all else the sum. From /proc/self/mountinfo; of several places of one file " +
		"system that of its root, else the shortest. " +
		"Read-only images, such as those of squashfs, are left out. What is put together of several " +
		"devices, as by btrfs or zfs, has no figures of its own for reading and writing; of btrfs those of " +
		"the device that was mounted are shown.",
	rows: diskRows[:], borrowed: len(diskRows) - spaceRows,
}

// spaceRows is the number of rows that LogicalDisk alone has, the first ones.
const spaceRows = 3

var diskRows = [...]row{
	{408, "% Free Space", counter.RawFraction, 0, provider.Novice, diskFree | diskSpace,
		func(v *values) (uint64, uint64) { return fraction(v.sum(diskFree), v.sum(diskSpace)) },
		"Space that users without privileges can have, as a share of what they have and can have. From " +
			"statfs(2) of the place in /proc/self/mountinfo, f_bavail of f_blocks - f_bfree + f_bavail, as " +
			"df(1) has it. " +
			"Of btrfs, zfs and thin pools an estimate. No value where the file system does not " +
			"answer in time."},
	{410, "Free Megabytes", counter.RawCount, 0, provider.Novice, diskFreeMegabytes, nil,
		"Space that users without privileges can have, in units of 1,048,576 bytes. From statfs(2) of the " +
			"place in /proc/self/mountinfo, f_bavail times f_frsize. No value where the file system does " +
			"not answer in time."},
	{titleFreeInodes, "% Free Inodes", counter.RawFraction, 0, provider.Novice, diskFreeInodes | diskInodes,
		func(v *values) (uint64, uint64) { return fraction(v.sum(diskFreeInodes), v.sum(diskInodes)) },
		"Inodes, one for each file, that are free. From statfs(2) of the place in /proc/self/mountinfo, " +
			"f_ffree of f_files. No value where the file system does not count them, or does not " +
			"answer in time."},
	{198, "Current Disk Queue Length", counter.RawCount, 1, provider.Novice, diskQueue, nil,
		"Requests that the device has been given and has not completed. From /proc/diskstats, column 9."},
	{200, "% Disk Time", counter.Precision100NSTimer, 0, provider.Novice, diskReadShare |
		diskWriteShare | diskClock,
		func(v *values) (uint64, uint64) { return v.sum(diskReadShare | diskWriteShare), v.sum(diskClock) },
		"Time that reads and writes took, as a share of the time gone by; with several at once it passes " +
			"100. A request counts when it ends. From /proc/diskstats, columns 4 + 8, in ms."},
	{1400, "Avg. Disk Queue Length", counter.QueueLen100NS, 2, provider.Novice, diskTime, nil,
		"Reads and writes under way on average; aqu-sz of iostat(1) has discards and flushes too. A " +
			"request counts when it ends. From /proc/diskstats, columns 4 + 8, in ms."},
	{202, "% Disk Read Time", counter.Precision100NSTimer, 0, provider.Novice, diskReadShare | diskClock,
		func(v *values) (uint64, uint64) { return v.sum(diskReadShare), v.sum(diskClock) },
		"Time that reads took, as a share of the time gone by. A request counts when it ends. From " +
			"/proc/diskstats, column 4, in ms."},
	{1402, "Avg. Disk Read Queue Length", counter.QueueLen100NS, 2, provider.Novice, diskReadTime, nil,
		"Reads under way on average. A request counts when it ends. From /proc/diskstats, column 4, in ms."},
	{204, "% Disk Write Time", counter.Precision100NSTimer, 0, provider.Novice, diskWriteShare | diskClock,
		func(v *values) (uint64, uint64) { return v.sum(diskWriteShare), v.sum(diskClock) },
		"Time that writes took, as a share of the time gone by. A request counts when it ends. From " +
			"/proc/diskstats, column 8, in ms."},
	{1404, "Avg. Disk Write Queue Length", counter.QueueLen100NS, 2, provider.Novice, diskWriteTime, nil,
		"Writes under way on average. A request counts when it ends. From /proc/diskstats, column 8, in ms."},
	{206, "Avg. Disk sec/Transfer", counter.AverageTimer, 3, provider.Advanced, diskTime | diskTransfers,
		func(v *values) (uint64, uint64) { return v.sum(diskTime), v.sum(diskTransfers) },
		"Time that a read or write took. From /proc/diskstats, columns 4 + 8 by 1 + 5. The kernel cuts the " +
			"sum of times to whole ms: the mean of few fast requests may be 0."},
	{208, "Avg. Disk sec/Read", counter.AverageTimer, 3, provider.Advanced, diskReadTime | diskReads,
		func(v *values) (uint64, uint64) { return v.sum(diskReadTime), v.sum(diskReads) },
		"Time that a read took. From /proc/diskstats, column 4 by 1. The kernel cuts the sum of times to " +
			"whole ms: the mean of few fast requests may be 0."},
	{210, "Avg. Disk sec/Write", counter.AverageTimer, 3, provider.Advanced, diskWriteTime | diskWrites,
		func(v *values) (uint64, uint64) { return v.sum(diskWriteTime), v.sum(diskWrites) },
		"Time that a write took. From /proc/diskstats, column 8 by 5. The kernel cuts the sum of times to " +
			"whole ms: the mean of few fast requests may be 0."},
	{212, "Disk Transfers/sec", counter.CounterCounter, 0, provider.Novice, diskTransfers, nil,
		"Reads and writes completed, after neighbours were merged. From /proc/diskstats, columns 1 + 5."},
	{214, "Disk Reads/sec", counter.CounterCounter, 0, provider.Novice, diskReads, nil,
		"Reads completed, after neighbours were merged. From /proc/diskstats, column 1."},
	{216, "Disk Writes/sec", counter.CounterCounter, 0, provider.Novice, diskWrites, nil,
		"Writes completed, after neighbours were merged. From /proc/diskstats, column 5."},
	{218, "Disk Bytes/sec", counter.BulkCount, -4, provider.Advanced, diskBytes, nil,
		"Bytes read and written. From /proc/diskstats, columns 3 + 7, in sectors of 512 bytes."},
	{220, "Disk Read Bytes/sec", counter.BulkCount, -4, provider.Advanced, diskReadBytes, nil,
		"Bytes read. From /proc/diskstats, column 3, in sectors of 512 bytes."},
	{222, "Disk Write Bytes/sec", counter.BulkCount, -4, provider.Advanced, diskWriteBytes, nil,
		"Bytes written. From /proc/diskstats, column 7, in sectors of 512 bytes."},
	{224, "Avg. Disk Bytes/Transfer", counter.AverageBulk, -2, provider.Expert, diskBytes | diskTransfers,
		func(v *values) (uint64, uint64) { return v.sum(diskBytes), v.sum(diskTransfers) },
		"Bytes of a read or write. From /proc/diskstats, columns 3 + 7 by 1 + 5."},
	{226, "Avg. Disk Bytes/Read", counter.AverageBulk, -2, provider.Expert, diskReadBytes | diskReads,
		func(v *values) (uint64, uint64) { return v.sum(diskReadBytes), v.sum(diskReads) },
		"Bytes of a read. From /proc/diskstats, column 3 by 1."},
	{228, "Avg. Disk Bytes/Write", counter.AverageBulk, -2, provider.Expert, diskWriteBytes | diskWrites,
		func(v *values) (uint64, uint64) { return v.sum(diskWriteBytes), v.sum(diskWrites) },
		"Bytes of a write. From /proc/diskstats, column 7 by 5."},
	{1482, "% Idle Time", counter.Precision100NSTimer, 0, provider.Advanced, diskIdle | diskClock,
		func(v *values) (uint64, uint64) { return v.sum(diskIdle), v.sum(diskClock) },
		"Share of time in which no request was under way; 100 less this is %util of iostat(1). From " +
			"/proc/diskstats, the time gone by less column 10, which the kernel counts in steps of its " +
			"timer: of fast disks an estimate."},
	{titleMerges, "Merges/sec", counter.CounterCounter, 0, provider.Advanced, diskReadMerges |
		diskWriteMerges, nil,
		"Reads and writes that were merged with a neighbour and are not counted as transfers of their own; " +
			"rrqm/s and wrqm/s of iostat(1) together. From /proc/diskstats, columns 2 + 6."},
	{titleDiscards, "Discards/sec", counter.CounterCounter, 0, provider.Advanced, diskDiscards, nil,
		"Discards completed, which tell the device what is no longer needed. From /proc/diskstats, " +
			"column 12."},
	{titleFlushes, "Flushes/sec", counter.CounterCounter, 0, provider.Advanced, diskFlushes, nil,
		"Flushes of the device's cache completed. From /proc/diskstats, column 16. Missing for partitions " +
			"and for devices without queues of their own, such as most of the device mapper: the kernel " +
			"counts none there."},
}
