// Package linuxhost provides the objects of a Linux host: System, Processor, Memory, Process,
// Thread, disks, networks and others with the names and title indices of Windows, and objects that
// only Linux has, such as Pressure Stall and Control Group.
//
// Values are from the text files of /proc and /sys (kernel documentation, "The /proc Filesystem" and
// "CPU Idle Time Management"; proc(5)). The tables in objects_*.go define the file, the field and the
// formula of each counter. The help texts state them for users, with differences from Windows.
//
// Counters that Linux cannot provide are not declared. Open omits counters that this kernel lacks. If
// a single instance lacks a value, such as the I/O of another user's process, the value is missing in
// that sample. A value that was not measured is never 0.
//
// Files stay open. A query reads only the files that the requested counters need, each once. When
// its buffers have grown, collecting allocates nothing.
//
// # Containers and namespaces
//
// In a container, /proc/stat, meminfo, loadavg and diskstats show the host unless other files are
// mounted over them. The processes are those in the PID namespace of /proc. If the mount option
// hidepid hides processes, their number and totals over them are missing. Network interfaces and
// protocols are from the reader's network namespace, file systems from its mount namespace.
//
// Control groups are in the tree of version 2 below /sys/fs/cgroup, and in the trees of controllers
// of version 1 if they are mounted. An instance's name is the path of its group.
//
// # Disks and file systems
//
// A sequence number (/sys/block/*/diskseq) identifies a disk, its device number before Linux 5.15. An
// index identifies an interface. Times of disks and counts of interfaces that the kernel keeps in 32
// bits continue after they wrap. A count that falls otherwise is reported unchanged.
//
// The space of each file system is requested with statfs(2) on a separate goroutine, all in
// parallel. A query waits for them at most 200 ms, and at most half of its remaining time. A file
// system without an answer has no values and gets no further request until it answers. Network file
// systems get no requests.
//
// # Threads and processes
//
// The parent of a thread is a position in the Process object of the same block. A query for Thread
// therefore includes Process, with only its identity counters unless they are requested. Process
// Memory Details is costly: reading it locks the memory of each process.
//
// # Totals
//
// Instances that are not part of the system (_Total, Idle, folded kernel threads) are the first
// ones of their object. If several instances have the same name, the first one has no number, and no
// process can take this place.
//
// _Total of Processor and Process does not fall when a processor goes offline or a process ends:
// counts and times are running totals, and each sample adds the increases of its instances. Times of
// Processor's _Total are averages over processors. Gauges are summed in each sample. If an instance
// could not be read, the total is missing in that sample. A value that the account may not read has
// the status not_permitted, and so do totals that include it.
//
// # Descriptors
//
// Half of the program's descriptors remain for others. Beyond that, files are opened for each
// reading. Only an error that means that a file or process no longer exists ends an instance. An
// instance that could not be opened or read remains, without values, and is reported once.
//
// # On request
//
// Two kinds of counters need many files or large ones: C-states, and Interrupts/sec of single
// processors. On machines with more than 64 processors, they are read only if the query names
// them, for example if a path names the object. Processor Frequency and % of Maximum Frequency
// are read only then on all machines, and at most every 10 seconds: on some kernels, reading wakes
// the processor.
package linuxhost

// Design notes:
//
// The kernel returns the lowest free descriptor, so its number shows how many are open in the whole
// program. A session uses this number and needs no budget shared with others.
//
// Unreadable instances remain without values, and their totals are missing. Providers report this
// with Writer.Report, which is not an error.
//
// Totals and similar instances are first in their object, unlike on Windows: of several
// instances with the same name, the first one has no number.
