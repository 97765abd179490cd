package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/titles"
	"github.com/winperf/winperf/provider"
)

// The objects of disks and mounts; spec.go says what a table means.

// The figures of the PhysicalDisk object that only its table knows.
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
		Help: "Physical and virtual disks. _Total is the average of percentages of time and the sum of all " +
			"other values. From /proc/diskstats, the devices that have a link named device in /sys/block. " +
			"Partitions, loop devices, RAM disks and devices built on other disks, such as those of the " +
			"device mapper, are not included. Inside a container these are the host's.",
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
	rows: []row{
		newRow(198, "Current Disk Queue Length", counter.RawCount, 1, provider.Novice, sum(diskQueue),
			"Requests that the device has received and not yet completed. From /proc/diskstats, column 9."),
		newRow(200, "% Disk Time", counter.Precision100NSTimer, 0, provider.Novice,
			ratio(diskReadShare|diskWriteShare, diskClock),
			"Time that reads and writes took, as a percentage of elapsed time. Parallel requests can take "+
				"it above 100. A request is counted when it completes. From /proc/diskstats, columns 4 + 8, in "+
				"ms."),
		newRow(1400, "Avg. Disk Queue Length", counter.QueueLen100NS, 2, provider.Novice,
			sum(diskReadTime|diskWriteTime),
			"Average number of reads and writes in progress; aqu-sz of iostat(1) also includes discards "+
				"and flushes. A request is counted when it completes. From /proc/diskstats, columns 4 + 8, in "+
				"ms."),
		newRow(202, "% Disk Read Time", counter.Precision100NSTimer, 0, provider.Novice,
			ratio(diskReadShare, diskClock),
			"Time that reads took, as a percentage of elapsed time. A request is counted when it "+
				"completes. From /proc/diskstats, column 4, in ms."),
		newRow(1402, "Avg. Disk Read Queue Length", counter.QueueLen100NS, 2, provider.Novice,
			sum(diskReadTime),
			"Average number of reads in progress. A request is counted when it completes. From "+
				"/proc/diskstats, column 4, in ms."),
		newRow(204, "% Disk Write Time", counter.Precision100NSTimer, 0, provider.Novice,
			ratio(diskWriteShare, diskClock),
			"Time that writes took, as a percentage of elapsed time. A request is counted when it "+
				"completes. From /proc/diskstats, column 8, in ms."),
		newRow(1404, "Avg. Disk Write Queue Length", counter.QueueLen100NS, 2, provider.Novice,
			sum(diskWriteTime),
			"Average number of writes in progress. A request is counted when it completes. From "+
				"/proc/diskstats, column 8, in ms."),
		newRow(206, "Avg. Disk sec/Transfer", counter.AverageTimer, 3, provider.Advanced,
			ratio(diskReadTime|diskWriteTime, diskReads|diskWrites),
			"Average time of a read or write. From /proc/diskstats, columns 4 + 8 divided by 1 + 5. The "+
				"kernel rounds the sum of times down to whole ms, so the average of a few fast requests may be "+
				"0."),
		newRow(208, "Avg. Disk sec/Read", counter.AverageTimer, 3, provider.Advanced,
			ratio(diskReadTime, diskReads),
			"Average time of a read. From /proc/diskstats, column 4 divided by 1. The kernel rounds the "+
				"sum of times down to whole ms, so the average of a few fast requests may be 0."),
		newRow(210, "Avg. Disk sec/Write", counter.AverageTimer, 3, provider.Advanced,
			ratio(diskWriteTime, diskWrites),
			"Average time of a write. From /proc/diskstats, column 8 divided by 5. The kernel rounds the "+
				"sum of times down to whole ms, so the average of a few fast requests may be 0."),
		newRow(212, "Disk Transfers/sec", counter.CounterCounter, 0, provider.Novice,
			sum(diskReads|diskWrites),
			"Reads and writes completed, after adjacent requests were merged. From /proc/diskstats, "+
				"columns 1 + 5."),
		newRow(214, "Disk Reads/sec", counter.CounterCounter, 0, provider.Novice, sum(diskReads),
			"Reads completed, after adjacent requests were merged. From /proc/diskstats, column 1."),
		newRow(216, "Disk Writes/sec", counter.CounterCounter, 0, provider.Novice, sum(diskWrites),
			"Writes completed, after adjacent requests were merged. From /proc/diskstats, column 5."),
		newRow(218, "Disk Bytes/sec", counter.BulkCount, -4, provider.Advanced,
			sum(diskReadBytes|diskWriteBytes),
			"Bytes read and written. From /proc/diskstats, columns 3 + 7, in sectors of 512 bytes."),
		newRow(220, "Disk Read Bytes/sec", counter.BulkCount, -4, provider.Advanced, sum(diskReadBytes),
			"Bytes read. From /proc/diskstats, column 3, in sectors of 512 bytes."),
		newRow(222, "Disk Write Bytes/sec", counter.BulkCount, -4, provider.Advanced, sum(diskWriteBytes),
			"Bytes written. From /proc/diskstats, column 7, in sectors of 512 bytes."),
		newRow(224, "Avg. Disk Bytes/Transfer", counter.AverageBulk, -2, provider.Expert,
			ratio(diskReadBytes|diskWriteBytes, diskReads|diskWrites),
			"Average size of a read or write. From /proc/diskstats, columns 3 + 7 divided by 1 + 5."),
		newRow(226, "Avg. Disk Bytes/Read", counter.AverageBulk, -2, provider.Expert,
			ratio(diskReadBytes, diskReads),
			"Average size of a read. From /proc/diskstats, column 3 divided by 1."),
		newRow(228, "Avg. Disk Bytes/Write", counter.AverageBulk, -2, provider.Expert,
			ratio(diskWriteBytes, diskWrites),
			"Average size of a write. From /proc/diskstats, column 7 divided by 5."),
		newRow(1482, "% Idle Time", counter.Precision100NSTimer, 0, provider.Advanced,
			ratio(diskIdle, diskClock),
			"Percentage of time without a request in progress; 100 minus this is %util of iostat(1). From "+
				"/proc/diskstats, elapsed time less column 10, which the kernel counts in timer ticks: an "+
				"estimate for fast disks."),
		newRow(100200, "Merges/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(diskReadMerges|diskWriteMerges),
			"Reads and writes that were merged with an adjacent request and are not counted as transfers; "+
				"the sum of rrqm/s and wrqm/s of iostat(1). From /proc/diskstats, columns 2 + 6."),
		newRow(100202, "Discards/sec", counter.CounterCounter, 0, provider.Advanced, sum(diskDiscards),
			"Discards completed. A discard tells the device which blocks are no longer in use. From "+
				"/proc/diskstats, column 12."),
		newRow(100204, "Flushes/sec", counter.CounterCounter, 0, provider.Advanced, sum(diskFlushes),
			"Flushes of the device's cache completed. From /proc/diskstats, column 16. Missing for "+
				"partitions and for devices without their own queue, such as most of the device mapper, "+
				"because the kernel does not count flushes there."),
	},
}

var mountObject = &spec{
	Object: provider.Object{
		Index: titles.LogicalDisk, Name: "LogicalDisk", Multi: true,
		Help: "File systems on block devices, by mount point. _Total is the average of percentages of time " +
			"and the sum of all other values. From /proc/self/mountinfo; if a file system has several " +
			"mount points, the one of its root, else the shortest. Read-only images, such as squashfs, are " +
			"left out. A file system over several devices, such as btrfs or zfs, has no read and write " +
			"values of its own; btrfs shows those of the device that was mounted.",
	},
	number: 11,
	first:  200,
	lender: diskObject,
	files:  diskObject.files,
	source: newMountSource,
	sums: sums{
		running: diskReadTime | diskWriteTime | diskFlushes | diskReads | diskReadMerges | diskWrites |
			diskWriteMerges | diskDiscards | diskReadBytes | diskWriteBytes,
		averaged: diskReadShare | diskWriteShare | diskIdle,
		gauges:   diskQueue | diskSpace | diskFree | diskFreeMegabytes | diskInodes | diskFreeInodes,
	},
	rows: []row{
		newRow(408, "% Free Space", counter.RawFraction, 0, provider.Novice, ratio(diskFree, diskSpace),
			"Space available to unprivileged users, as a percentage of used plus available space. From "+
				"statfs(2) of the mount point in /proc/self/mountinfo, f_bavail of f_blocks - f_bfree + "+
				"f_bavail, as df(1) has it. For btrfs, zfs and thin pools this is an estimate. No value if the "+
				"file system does not respond in time."),
		newRow(410, "Free Megabytes", counter.RawCount, 0, provider.Novice, sum(diskFreeMegabytes),
			"Space available to unprivileged users, in units of 1,048,576 bytes. From statfs(2) of the "+
				"mount point in /proc/self/mountinfo, f_bavail times f_frsize. No value if the file system "+
				"does not respond in time."),
		newRow(100206, "% Free Inodes", counter.RawFraction, 0, provider.Novice,
			ratio(diskFreeInodes, diskInodes),
			"Percentage of inodes that are free; each file takes one. From statfs(2) of the mount point in "+
				"/proc/self/mountinfo, f_ffree of f_files. No value if the file system does not count inodes "+
				"or does not respond in time."),
	},
}
