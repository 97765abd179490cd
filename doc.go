// Package winperf is the vocabulary of performance counters in the Windows
// model: objects that hold instances and counters, the paths that name them,
// the raw samples that sources deliver, the readings that are computed from
// them, and the contracts between sources and their readers.
//
// It holds no code that touches a system. To read counters open a source
// (package source) and watch it (package measure):
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
//   - object: a group of counters of one kind of thing; known by title index
//   - counter: one statistic of an object: type, name, help, scale
//   - instance: one thing of the kind: a process, a disk
//   - title index: the number that stands for an object's or counter's name
//   - name table: title index to name and help, per language
//   - raw value: what the system keeps: 4 or 8 bytes, no unit
//   - base: the counter that a fraction or average is divided by: the next definition
//   - selection: what is wanted: paths, objects, all that are not costly, all that are
//   - query: a selection compiled for one source
//   - block: one answer of one interface (winperf.Block); in V1 a performance data block,
//     the bytes of HKEY_PERFORMANCE_DATA
//   - sample: what a query gives at a time: blocks, of raw values or of displayable ones
//   - frame: one decoded sample: raw bytes, clocks, schema, and an index over them
//   - cook: compute the displayable value of a counter from one or two frames
//   - reading: one cooked value: path, value, unit, time, status
//   - source: where samples come from
//   - provider: what fills an object with counts
//   - path: \\machine\object(parent/instance#n)\counter
package winperf
