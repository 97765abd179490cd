// Package frame decodes samples and computes displayable values from pairs of them.
//
// A [Pool] decodes a sample of a query into a [Frame]: objects with their counters,
// instances and raw values. A [Cooker] takes an older and a newer frame, finds the
// instances that are the same thing in both, and cooks counters column by column:
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
// Package measure does this for whole selections, with names, paths and times; this
// package is for programs that want less, or raw values.
//
// A frame does not change after it was decoded. It is valid until its Pool has decoded two more,
// and as long as the samples are that its blocks were filled in. [Frame.Keep] makes it valid for
// good; a frame that is not valid any more is refused with [winperf.ErrState].
//
// An instance is the same when its identity says so, not its name or position:
// process id and start time where the object has them, then unique id, then the full
// name where it is unique, and as a last resort name and occurrence, marked as
// unverified (counter.Unverified).
//
// A process or thread that began after the older frame counts from zero, unless
// [counter.Options.NeedPrevious] is set; see [Pair.Began].
//
// Where the system time was set between two frames of a source that can tell
// ([winperf.ClocksTogether]), counters that are divided by it take the time that the
// performance counter tells.
//
// A block of displayable values ([winperf.FormatValues]) has no objects and is not cooked: [Frame.Values]
// returns its values as they are, each with its series.
package frame

// Choices worth knowing here:
//
// A frame.Frame is a small handle with a number, by which a frame is refused whose memory serves
// another one by then. Nothing is counted: a Pool uses the memory of three frames by turns, and Keep
// takes a frame and its blocks out of that.
//
// A frame refers to the blocks of its sample's parts; each object keeps the clocks and the machine
// of its part (Object.Clocks, Object.Machine), so that a log of several machines is one sample
// with a part for each. A part that is collected beside the others (Part.Beside) may hold the
// block of the sample before: it is cooked against its last other block, to which the frame refers
// as well. Columns of a block that was kept before it was decoded are kept with it, so
// that the next reader of the same two blocks finds them.
//
// What instances are called (frame.Labels) is immutable and shared between frames while the
// set of instances stays the same. Comparing two pointers tells that nothing came, went or
// moved: matching, paths and series rest on it. They keep a 64-bit hash of each name as it was
// spelled (index.HashName, with a random seed), so that the older block need not be read to
// find out that the names are the same.
//
// A Cooker that goes on from sample to sample keeps the values that it will need of the older
// one as it read them (frame/runs.go), and what processes and threads are known by: the older
// sample's bytes, which no cache holds any more, are not read again.
//
// A system time that was set is found by the performance counter beside it
// (counter.ClockStep), and cooking then goes by that, but only where the source says that the
// two clocks tell it (winperf.ClocksTogether): samples of the Linux host, also from a capture.
// What Windows made is computed as Windows does it.
