// Package perfdata shows performance data blocks as values and as text, for tools
// that look into blocks, change them or make them. A block is what
// HKEY_PERFORMANCE_DATA gives, version 1: PERF_DATA_BLOCK and the structures in it,
// as winperf.h and the Learn page "Performance Data Format" define them.
//
// [Parse] takes the bytes of a block apart into a [Block]: its objects, their
// counters, their instances, and the raw values, which [Object.Value] reads. The
// bytes come from a sample ([winperf.Sample.Raw]) or a file. [Block.Encode] makes
// bytes again; a block that was not changed is encoded to the same ones.
//
// A block of one's own begins with [NewCounter] for each counter of an object;
// [Object.Layout] gives the values their places, and [Object.AddInstance] and
// [Object.SetValue] fill them.
//
// [WriteText] and [ParseText] write and read the text form of a block, with a line
// for each counter and instance.
//
// A block is untrusted: every length, count and offset is checked before it is used.
// The package knows raw values only. Package counter computes what they are
// displayed as. To read many samples fast use package frame, or package measure for
// readings.
//
// # Text form
//
// The text form of a block is for reading, comparing and writing by hand, and for the
// blocks of tests. It goes line by line, a keyword and what belongs to it, and leaves
// out whatever a plain layout implies:
//
//	block name="HOST" perftime=1000 perffreq=10000000 time100ns=133500000000000000
//	object 238                               # Processor
//	  counter 6 PERF_100NSEC_TIMER_INV       # % Processor Time
//	  counter 148 PERF_COUNTER_COUNTER scale=-2
//	  instance "0" : 88000000 4711
//	  instance "_Total" : 88000000 4711
//	object 2 form=single
//	  counter 44 PERF_COUNTER_RAWCOUNT
//	  values : 3
//
// Spaces separate words, "#" begins a comment, strings are quoted as in Go,
// numbers are decimal or hexadecimal with 0x, and HEX stands for bytes as
// hexadecimal digits. Indentation means nothing. A line belongs to the nearest
// line above it that it can belong to.
//
//	block [name=STRING] [default=N] [perftime=N] [perffreq=N] [time100ns=N]
//	      [systemtime=N,N,N,N,N,N,N,N] [nameoffset=N] [namelength=N] [rest=HEX]
//
// is the header, PERF_DATA_BLOCK. What is left out is 0. rest replaces all
// that follows the structure, the name and its padding.
//
//	object TITLE [help=N] [detail=N] [default=N] [form=FORM] [codepage=N]
//	       [time=N] [freq=N] [missing=N]
//
// is a PERF_OBJECT_TYPE. help is TITLE + 1, detail 100, and FORM multiple
// unless it is single, metadata-multiple or metadata-single. missing is the
// offset of the bit map of missing values; missing=auto puts it behind the
// values.
//
//	counter TITLE TYPE [help=N] [scale=N] [detail=N] [size=N] [offset=N]
//
// is a PERF_COUNTER_DEFINITION. TYPE is a name of winperf.h or a number. size
// is what belongs to the type and offset the next place behind the values so
// far.
//
//	instance NAME [parent=N] [position=N] [id=N] [nameoffset=N] [namelength=N]
//	         [rest=HEX] [size=N] : VALUE...
//	values [size=N] : VALUE...
//
// are a PERF_INSTANCE_DEFINITION with its PERF_COUNTER_BLOCK, and the block of
// an object that has no instances. NAME is a string or "-" for none, parent and
// position name the parent, id is the unique id. size is the length of the
// counter block. There is one VALUE for each counter, in order: a number, a
// string for a text counter, hex:HEX for any bytes, or "-" for no change of
// what is there, zeros or an earlier counter's value at the same place. A "?"
// before it marks the value as missing; "?" alone is "?-".
//
// All else is for odd layouts and damage:
//
//	bytes OFFSET HEX   bytes of the counter block; OFFSET as in CounterOffset
//	set FIELD=N ...    4 bytes of the structure above, by the field's name in
//	                   winperf.h or by offset; BlockByteLength is the length of
//	                   an instance's counter block
//	extra HEX          the rest of an object's header or of a definition
//	gap HEX            bytes behind the definitions
//	tail HEX           bytes behind the counter blocks
//	raw HEX            a whole object as bytes
//	slack HEX          bytes behind the last object
package perfdata
