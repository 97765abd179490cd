// Package trial runs commands repeatedly under measurement. It reports their processor time, memory, I/O
// and context switches by process tree and as the system reports them, differences between variants of a
// command, and the cost of the measurement.
package trial
