// Package perfdata represents performance data blocks as values and as text, for tools that
// inspect, change or make blocks. A block is the content of HKEY_PERFORMANCE_DATA, version
// 1: PERF_DATA_BLOCK and the structures in it, as defined by winperf.h and the Learn page
// "Performance Data Format".
//
// [Parse] reads the bytes of a block into a [Block]: objects, counters, instances and raw
// values ([Object.Value]). The bytes are from a sample ([winperf.Sample.Raw]) or a file.
// [Block.Encode] returns bytes again, the same ones if the block was not changed.
//
// To make a block, call [NewCounter] for each counter of an object, [Object.Layout] to
// place the values, and [Object.AddInstance] and [Object.SetValue] to fill them.
//
// [WriteText] and [ParseText] write and read the text form of a block, with a line for each
// counter and instance.
//
// Blocks are untrusted: every length, count and offset is checked before use. The package
// handles raw values only; package counter computes displayed values. To read many samples
// fast, use package frame, or package measure for readings.
//
// # Text form
//
// The text form is for reading, comparing and writing blocks by hand, and for tests. Each
// line has a keyword and its arguments. Values that the plain layout implies are omitted:
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
// Spaces separate words, "#" begins a comment, strings are quoted as in Go, numbers are
// decimal or hexadecimal with 0x, and HEX are hexadecimal digits of bytes. Indentation has
// no meaning. A line belongs to the nearest suitable line above it.
//
//	block [name=STRING] [default=N] [perftime=N] [perffreq=N] [time100ns=N]
//	      [systemtime=N,N,N,N,N,N,N,N] [nameoffset=N] [namelength=N] [rest=HEX]
//
// is the header, PERF_DATA_BLOCK. Omitted numbers are 0. rest replaces all bytes behind the
// structure: the name and its padding.
//
//	object TITLE [help=N] [detail=N] [default=N] [form=FORM] [codepage=N]
//	       [time=N] [freq=N] [missing=N]
//
// is a PERF_OBJECT_TYPE. Defaults: help is TITLE + 1, detail is 100, form is multiple.
// Other forms are single, metadata-multiple and metadata-single. missing is the offset of
// the bit map of missing values; missing=auto places it behind the values.
//
//	counter TITLE TYPE [help=N] [scale=N] [detail=N] [size=N] [offset=N]
//
// is a PERF_COUNTER_DEFINITION. TYPE is a name of winperf.h or a number. Defaults: size is
// the size of the type, offset the next place behind the previous values.
//
//	instance NAME [parent=N] [position=N] [id=N] [nameoffset=N] [namelength=N]
//	         [rest=HEX] [size=N] : VALUE...
//	values [size=N] : VALUE...
//
// are a PERF_INSTANCE_DEFINITION with its PERF_COUNTER_BLOCK, and the block of an object
// without instances. NAME is a string or "-" for none; parent and position are the object
// and position of the parent, id is the unique id. size is the length of the counter block.
// Each counter has a VALUE, in order: a number, a string for a text counter, hex:HEX for
// any bytes, or "-" to keep the bytes at its place (zeros, or the value of an earlier
// counter). A "?" before it marks the value as missing; "?" alone is "?-".
//
// The other lines are for odd layouts and damage:
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
