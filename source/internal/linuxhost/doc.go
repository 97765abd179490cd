// Package linuxhost is the provider of the Linux host's own objects: System,
// Processor, Memory, Process, Thread, disks, networks and others, under the
// names and title indices that Windows gives them, and objects that Linux
// alone has, such as Pressure Stall and Control Group.
//
// Values come from the text files of /proc and /sys (kernel documentation,
// "The /proc Filesystem"; proc(5); "CPU Idle Time Management"). The table
// of an object (objects_*.go) says what stands where in which file and what each
// counter is made of; the help texts say the same to the reader of the counter,
// and where the meaning is only near to that on Windows, what the difference
// is. A counter that Linux cannot give is not declared. One that this kernel
// lacks is left out when the provider is opened. One that a single instance
// lacks, such as the I/O of another user's process, is marked as missing in
// that sample: what was not measured is never zero.
//
// Files are kept open and read in place. Only files that a wanted counter
// needs are read, and each once in a query. Once the buffers have grown,
// collecting allocates nothing, however many processes there are.
//
// # What is counted where
//
// In a container, /proc/stat, meminfo and loadavg show the host unless
// something is mounted over them, and so does /proc/diskstats. The processes are
// those of the process namespace that /proc was mounted in. Where the mount
// option hidepid hides some of them from the reader, their number and all
// totals over them have no value. Network interfaces and protocols are those of
// the reader's network namespace, file systems those of its mount namespace.
//
// Control groups are those below /sys/fs/cgroup: the tree of version 2, and
// where controllers of version 1 are mounted, these, each of which counts for
// the groups in its own tree. The path of a group is its instance's name; the
// model has no parents for names that begin with a slash.
//
// # Disks and file systems
//
// A disk is known again by its sequence number (/sys/block/*/diskseq), before
// Linux 5.15 by its number, an interface by its index. Times of disks and counts
// of interfaces that the kernel keeps in 32 bits are carried on when they wrap;
// a count that falls in another way is given as it is.
//
// The space of file systems is asked for by one statfs(2) each, all at once and
// each on a goroutine of its own. A query waits for them no longer than 200 ms
// or half of the time that it has left. A file system that has not answered has
// no value, and is not asked again until it does; no network file system is
// asked at all.
//
// # Threads and their processes
//
// The parent of a thread is a position in the Process object of the same block.
// A query for Thread therefore brings Process along; unless it asks for Process
// itself, with nothing but what tells processes apart. Process Memory Details is
// costly: to read it locks the memory of each process.
//
// # Totals
//
// Instances that are not things of the system (_Total, Idle, the folded kernel threads)
// stand first in their object: of several instances of one name the first is the one
// without a number, and no process can take that place.
//
// _Total of Processor and Process does not fall when a processor goes offline or a
// process ends: counts and times are running totals to which each sample adds what the
// instances of the sample before have added. The times of Processor's _Total are
// averages over the processors. Gauges are summed afresh. Where something that is there
// could not be read there is no total of it in that sample. A value that this account
// may not read, such as the I/O of another user's process, has the status
// not_permitted, and so have totals over it.
//
// # Descriptors
//
// Files are kept open only as long as half of the descriptors that the program
// may have are left for others. Beyond that each is opened, read and closed. Only
// an error that says that something is gone is taken for its end. What could not
// be opened or read stays, without values, and is told once.
//
// # On request
//
// The C-state counters (two files for each state of each processor) and, for
// single processors, Interrupts/sec (whose file grows with processors times
// interrupts) are read on machines of up to 64 processors. Above that they
// are read only when the query's hint names them, as it does where a path names
// the object. Processor Frequency and % of Maximum Frequency are read only then
// on all machines, at most every 10 seconds: some kernels wake a processor to
// tell.
package linuxhost

// Choices worth knowing here:
//
// The number of a new descriptor tells how many the whole program has open, as the kernel
// gives the lowest: a session of the Linux host goes by it, and so needs no budget that
// sessions and others would share.
//
// Only an error that says that something is gone ends it. What is there and cannot be read
// stays without values, and there is no total over it; a provider tells it through
// Writer.Report, which is no failure.
//
// Totals and other instances that the system does not name stand first in the host's objects,
// unlike on Windows: of several instances of one name the first is the one without a number.
