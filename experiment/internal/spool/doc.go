// Package spool keeps entries of bytes on disk, first in, first out, for readers that
// take them later, perhaps in another run of the program.
//
// A spool is a directory with segments, files named by the number of their first entry,
// which are written at their ends only; with the file "readers", which is replaced as a
// whole; and with the file "lock". An entry is a head of 32 bytes, little-endian, and
// its data:
//
//	 0  4  the bytes "wpsp"
//	 4  4  the length of the data
//	 8  8  the entry's number, which begins with 1 and has no gaps
//	16  8  when it was appended, nanoseconds since 1970 in UTC
//	24  4  CRC-32C of the data
//	28  4  CRC-32C of the 28 bytes before
//
// An entry that was appended survives the end of the program, also by kill -9, and
// after Options.Sync the end of the system. What such an end left of an entry that was
// being written is cut off when the spool is opened again. Damage elsewhere costs the
// entries that it hit: the reader looks for the next head, and counts what is missing.
package spool
