// Package frame decodes samples and computes displayable values from pairs of them.
//
// A [Pool] decodes a sample into a [Frame]: objects with their counters, instances and raw values. A
// [Cooker] takes an older and a newer frame, matches their instances, and computes the values of
// counters column by column:
//
//	var pool frame.Pool
//	var cooker frame.Cooker
//	...
//	newer, err := pool.Decode(&sample, older)
//	...
//	err = cooker.Set(older, newer, counter.Options{})
//	...
//	for object := range newer.Objects() {
//		column := cooker.Object(object).Column(0)
//		for instance := range object.Instances() {
//			fmt.Println(instance.Full(), column.Value(instance.Position()), column.Unit)
//		}
//	}
//
// Package measure does this for whole selections, with names, paths and times. Use package frame for
// raw values or for single objects.
//
// A decoded frame does not change. It is valid until its Pool has decoded two more frames or a sample
// with one of its blocks is passed to [winperf.Query].Next again. [Frame.Keep] makes it permanent.
// Errors about an invalid frame wrap [winperf.ErrState].
//
// Instances of two frames are matched by process id and start time if the object has them, else by
// unique id, else by full name if it is unique, else by full name and occurrence. Matches by
// occurrence, and by process id without a start time, are counter.Unverified.
//
// If a process or thread began after the older frame, its older raw values are taken as zero, unless
// [counter.Options.NeedPrevious] is set; see [Pair.Began].
//
// If the system time was set between two frames of a source with [winperf.ClocksTogether], the formulas
// compute the time between the frames from PerfTime.
//
// A block of displayable values ([winperf.FormatValues]) has no objects. [Frame.Values] returns its
// values with their series.
package frame

// An invalid frame is recognized by its number, because its memory has a new one. A Pool reuses the
// memory of three frames in turn, except for kept ones.
//
// An independent part (Part.Independent) may contain the block of the previous sample. Its values are
// computed from its last two different blocks; the frame refers to both.
//
// Labels keep a 64-bit hash of each name (index.HashName, with a random seed), so that the older
// block is not read again. For the same reason a Cooker keeps the values that the next sample needs
// (runs.go): the older sample is no longer in the processor's cache.
