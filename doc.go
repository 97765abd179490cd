// Package winperf defines the types for performance counters in the Windows model: objects with
// counters and instances, paths, raw samples and readings. It also defines [Source] and [Query],
// the interfaces between sources of samples and the code that reads them.
//
// The package calls no operating system. To read counters, open a source (package source) and
// sample it (package measure):
//
//	src, err := source.Open(ctx, "local:")
//	...
//	readings, err := measure.Get(ctx, src, `\System\Processes`)
//	...
//	sel, err := winperf.Select(`\Processor(_Total)\% Processor Time`)
//	...
//	for cycle, err := range measure.Watch(ctx, src, sel, measure.Options{}) { ... }
//
// # Words
//
//   - object: a group of counters of one kind, such as Process
//   - counter: one statistic of an object, with type, name, help text and scale
//   - instance: one member of that kind: a process, a disk
//   - title index: the number of an object or counter in a name table
//   - name table: the names and help texts of title indices in one language
//   - path: \\machine\object(parent/instance#n)\counter
//   - raw value: the number that a system keeps: 4 or 8 bytes, no unit
//   - base: the counter that a fraction or average is divided by
//   - costly object: an object that its system marks as slow to sample ("Costly" on Windows)
//   - interface: one of the ways in which a system provides samples, such as the registry of
//     Windows
//   - version 1, version 2: the two generations of Perflib, the performance library of Windows.
//     Version 1 provides objects with title indices in the registry. Version 2 provides counter
//     sets with GUIDs.
//   - schema: the names and definitions that a source knows apart from its samples ([Schema])
//   - selection: the requested paths and objects
//   - query: a selection compiled for one source
//   - block: the answer of one interface to a query ([Block]); in version 1 a performance data
//     block, the bytes of HKEY_PERFORMANCE_DATA
//   - sample: the answer of a source to one query: blocks of raw or displayable values
//   - frame: a decoded sample: raw bytes, clocks, schema, and an index over them
//   - cook: compute the displayable value of a counter from one or two frames
//   - reading: one value with path, unit, time and status
//   - source: code that provides samples
//   - live source: a source that samples a running system
//   - log: a file of samples; a capture is a log of raw samples in winperf's own format
//   - provider: code that supplies an object's values to a system
package winperf
