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
// A decoded frame does not change. It is valid until its Pool has decoded two more frames, and as
// long as the samples with its blocks. [Frame.Keep] makes it permanent. Errors about an invalid
// frame wrap [winperf.ErrState].
//
// Instances of two frames are matched by process id and start time if the object has them, else by
// unique id, else by full name if it is unique, else by name and occurrence; matches of the last kind
// are marked counter.Unverified.
//
// A process or thread that began after the older frame counts from zero, unless
// [counter.Options.NeedPrevious] is set; see [Pair.Began].
//
// If the system time was set between two frames of a source with [winperf.ClocksTogether], counters
// that are divided by it use the time of the performance counter.
//
// A block of displayable values ([winperf.FormatValues]) has no objects: [Frame.Values] returns its
// values with their series.
package frame

// An invalid frame is recognized by its number, because its memory has a new one. A Pool reuses the
// memory of three frames in turn, except for kept ones.
//
// An independent part (Part.Independent) may contain the block of the previous sample: it is compared with
// its last other block, which the frame refers to as well.
//
// Labels keep a 64-bit hash of each name (index.HashName, with a random seed), so that the older
// block is not read again. For the same reason a Cooker keeps the values that the next sample needs
// (runs.go): the older sample is no longer in the processor's cache.
