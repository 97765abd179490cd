// Package trial runs commands under measurement, again and again, and tells what they used:
// processor time, memory, I/O and context switches by process tree, beside what the system
// says of the command itself; whether two variants of a command differ; and what the
// measurement cost them.
package trial
