package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/provider"
)

// Objects of disks and mounts. See spec for the form of the tables.

// Fields of the PhysicalDisk object that only the table uses.
const (
	diskReads fields = 1 << (iota + 13)
	diskReadMerges
	diskWrites
	diskWriteMerges
	diskDiscards
	diskReadBytes
	diskWriteBytes
)

var diskObject = &spec{
	Object: provider.Object{
		Index: titles.PhysicalDisk, Name: "PhysicalDisk", Multi: true,
		Help: "Physical and virtual disks. _Total is the average of percentages of time and the sum of " +
			"all other values. From /proc/diskstats, devices with a link named device in /sys/block. " +
			"Partitions, loop devices, RAM disks and stacked devices, such as device mapper, are not " +
			"included. Requests are counted when they complete, so a percentage may exceed 100. Times " +
			"are whole ms, so averages of a few fast requests may be 0. In a container, these are the " +
			"host's values.",
	},
	number: 10,
	first:  200,
	source: newDiskSource,
	sums: sums{
		running: diskReadTime | diskWriteTime | diskFlushes | diskReads | diskReadMerges | diskWrites |
			diskWriteMerges | diskDiscards | diskReadBytes | diskWriteBytes,
		averaged: diskReadShare | diskWriteShare | diskIdle,
		gauges:   diskQueue,
	},
	files: fileTables{
		fileOfColumns("proc/diskstats",
			in(unitNumber, []at{{diskReads, "1"}, {diskReadMerges, "2"}, {diskWrites, "5"}, {diskWriteMerges, "6"},
				{diskDiscards, "12"}, {diskFlushes, "16"}}),
			in(unitSectors, []at{{diskReadBytes, "3"}, {diskWriteBytes, "7"}}),
		),
	},
	table: []entry{
		{198, "Current Disk Queue Length", counter.RawCount, 1, provider.Novice, sum(diskQueue),
			"Requests that the device has not yet completed. From /proc/diskstats, column 9."},
		{200, "% Disk Time", counter.Precision100NSTimer, 0, provider.Novice,
			ratio(diskReadShare|diskWriteShare, diskClock),
			"Time of reads and writes as a percentage of elapsed time. Parallel requests can make it " +
				"exceed 100. From /proc/diskstats, columns 4 + 8, in ms."},
		{1400, "Avg. Disk Queue Length", counter.QueueLen100NS, 2, provider.Novice,
			sum(diskReadTime | diskWriteTime),
			"Average number of reads and writes in progress, without discards and flushes, which " +
				"iostat(1) includes. From /proc/diskstats, columns 4 + 8, in ms."},
		{202, "% Disk Read Time", counter.Precision100NSTimer, 0, provider.Novice,
			ratio(diskReadShare, diskClock),
			"Time of reads as a percentage of elapsed time. From /proc/diskstats, column 4, in ms."},
		{1402, "Avg. Disk Read Queue Length", counter.QueueLen100NS, 2, provider.Novice,
			sum(diskReadTime),
			"Average number of reads in progress. From /proc/diskstats, column 4, in ms."},
		{204, "% Disk Write Time", counter.Precision100NSTimer, 0, provider.Novice,
			ratio(diskWriteShare, diskClock),
			"Time of writes as a percentage of elapsed time. From /proc/diskstats, column 8, in ms."},
		{1404, "Avg. Disk Write Queue Length", counter.QueueLen100NS, 2, provider.Novice,
			sum(diskWriteTime),
			"Average number of writes in progress. From /proc/diskstats, column 8, in ms."},
		{206, "Avg. Disk sec/Transfer", counter.AverageTimer, 3, provider.Advanced,
			ratio(diskReadTime|diskWriteTime, diskReads|diskWrites),
			"Average time of a read or write. From /proc/diskstats, columns 4 + 8 divided by 1 + 5."},
		{208, "Avg. Disk sec/Read", counter.AverageTimer, 3, provider.Advanced,
			ratio(diskReadTime, diskReads),
			"Average time of a read. From /proc/diskstats, column 4 divided by 1."},
		{210, "Avg. Disk sec/Write", counter.AverageTimer, 3, provider.Advanced,
			ratio(diskWriteTime, diskWrites),
			"Average time of a write. From /proc/diskstats, column 8 divided by 5."},
		{212, "Disk Transfers/sec", counter.CounterCounter, 0, provider.Novice,
			sum(diskReads | diskWrites),
			"Reads and writes completed, after merging adjacent requests. From /proc/diskstats, columns " +
				"1 + 5."},
		{214, "Disk Reads/sec", counter.CounterCounter, 0, provider.Novice, sum(diskReads),
			"Reads completed, after merging adjacent requests. From /proc/diskstats, column 1."},
		{216, "Disk Writes/sec", counter.CounterCounter, 0, provider.Novice, sum(diskWrites),
			"Writes completed, after merging adjacent requests. From /proc/diskstats, column 5."},
		{218, "Disk Bytes/sec", counter.BulkCount, -4, provider.Advanced,
			sum(diskReadBytes | diskWriteBytes),
			"Bytes read and written. From /proc/diskstats, columns 3 + 7, in sectors of 512 bytes."},
		{220, "Disk Read Bytes/sec", counter.BulkCount, -4, provider.Advanced, sum(diskReadBytes),
			"Bytes read. From /proc/diskstats, column 3, in sectors of 512 bytes."},
		{222, "Disk Write Bytes/sec", counter.BulkCount, -4, provider.Advanced, sum(diskWriteBytes),
			"Bytes written. From /proc/diskstats, column 7, in sectors of 512 bytes."},
		{224, "Avg. Disk Bytes/Transfer", counter.AverageBulk, -2, provider.Expert,
			ratio(diskReadBytes|diskWriteBytes, diskReads|diskWrites),
			"Average size of a read or write. From /proc/diskstats, columns 3 + 7 divided by 1 + 5."},
		{226, "Avg. Disk Bytes/Read", counter.AverageBulk, -2, provider.Expert,
			ratio(diskReadBytes, diskReads),
			"Average size of a read. From /proc/diskstats, column 3 divided by 1."},
		{228, "Avg. Disk Bytes/Write", counter.AverageBulk, -2, provider.Expert,
			ratio(diskWriteBytes, diskWrites),
			"Average size of a write. From /proc/diskstats, column 7 divided by 5."},
		{1482, "% Idle Time", counter.Precision100NSTimer, 0, provider.Advanced,
			ratio(diskIdle, diskClock),
			"Percentage of time without a request in progress; iostat(1) shows 100 minus this as %util. " +
				"From /proc/diskstats, elapsed time less column 10, an estimate for fast disks because " +
				"the kernel counts timer ticks."},
		{100200, "Merges/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(diskReadMerges | diskWriteMerges),
			"Reads and writes that were merged into another request and are not transfers; rrqm/s + " +
				"wrqm/s of iostat(1). From /proc/diskstats, columns 2 + 6."},
		{100202, "Discards/sec", counter.CounterCounter, 0, provider.Advanced, sum(diskDiscards),
			"Discards (requests that mark blocks as unused) completed. From /proc/diskstats, column 12."},
		{100204, "Flushes/sec", counter.CounterCounter, 0, provider.Advanced, sum(diskFlushes),
			"Flushes of the device's cache completed. From /proc/diskstats, column 16. Missing for " +
				"partitions and most stacked devices."},
	},
}

var mountObject = &spec{
	Object: provider.Object{
		Index: titles.LogicalDisk, Name: "LogicalDisk", Multi: true,
		Help: "File systems on block devices, by mount point. _Total is the average of percentages of " +
			"time and the sum of all other values. From /proc/self/mountinfo; if a file system has " +
			"several mount points, the mount of its root is shown, else the shortest path. Read-only " +
			"images, such as squashfs, are omitted. Free space and inodes have no value if the file " +
			"system does not respond in time. Other counters are as in PhysicalDisk; zfs has none, btrfs " +
			"the values of the mounted device.",
	},
	number:   11,
	first:    200,
	rowsFrom: diskObject,
	files:    diskObject.files,
	source:   newMountSource,
	sums: sums{
		running: diskReadTime | diskWriteTime | diskFlushes | diskReads | diskReadMerges | diskWrites |
			diskWriteMerges | diskDiscards | diskReadBytes | diskWriteBytes,
		averaged: diskReadShare | diskWriteShare | diskIdle,
		gauges:   diskQueue | diskSpace | diskFree | diskFreeMegabytes | diskInodes | diskFreeInodes,
	},
	table: []entry{
		{408, "% Free Space", counter.RawFraction, 0, provider.Novice, ratio(diskFree, diskSpace),
			"Space available to unprivileged users as a percentage of used plus available space, as in " +
				"df(1). From /proc/self/mountinfo and statfs(2), f_bavail of f_blocks - f_bfree + " +
				"f_bavail; an estimate for btrfs, zfs and thin pools."},
		{410, "Free Megabytes", counter.RawCount, 0, provider.Novice, sum(diskFreeMegabytes),
			"Space available to unprivileged users, in units of 1,048,576 bytes. From " +
				"/proc/self/mountinfo and statfs(2), f_bavail times f_frsize."},
		{100206, "% Free Inodes", counter.RawFraction, 0, provider.Novice,
			ratio(diskFreeInodes, diskInodes),
			"Percentage of inodes that are free; each file needs one. From /proc/self/mountinfo and " +
				"statfs(2), f_ffree of f_files. No value if the file system does not count inodes."},
	},
}
