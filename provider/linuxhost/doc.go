// Package linuxhost is the provider of the Linux host's own objects: System,
// Processor, Memory and Process, under the names and title indices that
// Windows gives them.
//
// Values come from the text files of /proc and /sys (kernel documentation,
// "The /proc Filesystem"; proc(5); "CPU Idle Time Management"). Each object is
// one table that says, counter by counter, which fields of which file its
// value is made of; the help texts say the same to the reader of the counter,
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
// something is mounted over them, and the processes are those of the process
// namespace that /proc was mounted in. With the mount option hidepid only the
// visible processes are counted.
//
// # Totals
//
// _Total of Processor and Process does not fall when a processor goes offline
// or a process ends: counts and times are running totals to which each sample
// adds what the instances of the sample before have added. The times of
// Processor's _Total are averages over the processors. Gauges are summed
// afresh.
//
// # On request
//
// The C-state counters (two files for each state of each processor) and, for
// single processors, Interrupts/sec (whose file grows with processors times
// interrupts) are read on machines of up to 64 processors. Above that they
// are read only when the query's hint names them.
package linuxhost
