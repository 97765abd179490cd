package pdhlog

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Layout is the way in which a binary log stores samples.
type Layout uint8

const (
	// Counters stores single raw values of the selected counters, and an array of all
	// instances for a wildcard instance. If some values are not accessible at first, which
	// arrays cannot express, their counters are a block.
	Counters Layout = iota
	// Objects stores whole objects, each as a performance data block, and the name table.
	// It is larger and loses nothing.
	Objects
)

// Options choose the form of a binary log. The zero value stores every counter of every
// instance as single values, in local time.
type Options struct {
	Layout Layout
	// Paths select the content; none selects everything. With Counters, paths with the
	// instance (*) make arrays, which include later instances; others select counters and
	// instances of the first frame, or named instances that appear later. With Objects,
	// they select whole objects.
	Paths []winperf.Path
	// Location is the time zone of the log's times; nil is time.Local. A binary log has
	// local times, and in its head the rules of the zone in the year of the first sample.
	Location *time.Location
	// Name is the name of the log file, stored in the head.
	Name string
	// System is the writer of the log: Header.System of another log, or a program and its
	// system; "" means Windows 8.
	System string
	// Columns are the paths of a log of displayed values ([Writer.WriteReadings]); none
	// means the paths of the first readings.
	Columns []string
	// Tail is the end of an existing log to append to; w is at this end. Location, Name,
	// System, GUID and BufferSize are then taken from the log. The first Write fails and
	// changes nothing if its counters differ from the log's. A catalogue includes the
	// earlier samples. nil begins a new log.
	Tail *Tail
	// GUID identifies the log; zero makes a random one.
	GUID winperf.GUID
	// BufferSize is the size in bytes of the file's buffers, a multiple of 8 from 16 KiB to
	// 16 MiB; 0 is 64 KiB.
	BufferSize int
}

// Writer writes a binary performance log (.blg) of decoded samples:
//
//	w, err := pdhlog.NewWriter(file, pdhlog.Options{Paths: paths})
//	for cycle, err := range measure.Watch(ctx, src, sel, opt) {
//		err = w.Write(cycle.Frame, cycle.Names)
//	}
//	err = w.Close()
//
// The format is the same as in Windows Vista and Windows 8. Reader reads the same raw values
// from it. It has NOT been verified with programs of Windows.
//
// The first sample determines the content, as in Windows: the counter list precedes the
// samples. Objects, counters and single instances that appear later are not written;
// [Writer.Late] counts them. An entry of a single instance follows it even if it is
// renamed, and ends with it. A sample of several machines has the counters of each; no such
// log of Windows is known.
//
// The file is written in buffers. [Writer.Flush] writes a partly filled buffer, which is
// later written again. Close and Flush update the end time and the number of buffers in the
// head. If the writer is no io.Seeker these stay 0, as in a log that was not closed.
type Writer struct {
	opt       Options
	out       output
	sample    sampleWriter
	contents  contents
	catalogue *catalogue // of Objects
	values    *values    // of displayed values
	machines  []string   // of the first sample
	begun     bool
	closed    bool
	err       error // the first error of writing
}

// minWritten is the smallest size of written buffers: an event has at most 8,072 bytes.
const minWritten = 16 << 10

// NewWriter returns a writer of a log to w. It writes nothing before the first sample. The
// error wraps winperf.ErrNotSupported: an option is invalid.
func NewWriter(w io.Writer, opt Options) (*Writer, error) {
	if tail := opt.Tail; tail != nil {
		opt.BufferSize, opt.Location = tail.head.BufferSize, tail.location
	}
	switch {
	case opt.BufferSize == 0:
		opt.BufferSize = 64 << 10
	case opt.BufferSize < minWritten || opt.BufferSize > maxBuffer || opt.BufferSize%8 != 0:
		const form = "buffers of %d bytes in a binary log, expected a multiple of 8 from %d to %d: %w"
		return nil, fmt.Errorf(form, opt.BufferSize, minWritten, maxBuffer, winperf.ErrNotSupported)
	}

	if opt.Layout > Objects {
		return nil, fmt.Errorf("layout %d of a binary log: %w", opt.Layout, winperf.ErrNotSupported)
	}
	if opt.Location == nil {
		opt.Location = time.Local
	}
	opt.Paths = slices.Clone(opt.Paths)
	return &Writer{opt: opt, out: output{w: w}}, nil
}

// Write writes a decoded sample. names are the names of its objects and counters; Cycle of
// package measure has both.
//
// After an error of the underlying writer, all calls return it; after [Writer.Close] the
// error wraps winperf.ErrState. A frame of other machines, or without a sample, is refused
// with an error that wraps winperf.ErrNotSupported; later samples can be written.
func (w *Writer) Write(f frame.Frame, names *nametable.Names) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return fmt.Errorf("%w: write to a closed log", winperf.ErrState)
	case f.IsZero():
		return fmt.Errorf("a binary log keeps raw values, but the sample has none: %w",
			winperf.ErrNotSupported)
	case w.begun && !w.knows(f):
		other := fmt.Errorf("a sample of the machine %q in a log of %q: %w",
			f.Machine(), strings.Join(w.machines, ", "), winperf.ErrNotSupported)
		return errors.Join(other, w.contents.older.Keep()) // the next sample of the log may be much later
	}

	if names == nil {
		names = &nametable.Names{}
	}
	if !w.begun {
		w.begun, w.machines = true, machinesOf(f)
		w.settle(w.begin(f, names))
	}

	if w.err == nil {
		w.settle(w.write(f, names))
	}
	return w.err
}

// knows reports whether the log has one of the frame's machines.
func (w *Writer) knows(f frame.Frame) bool {
	known := func(machine string) bool { return slices.Contains(w.machines, machine) }
	return known(f.Machine()) || slices.ContainsFunc(machinesOf(f), known)
}

// machinesOf returns the machines of a frame, at least one.
func machinesOf(f frame.Frame) []string {
	names := []string{f.Machine()}
	for o := range f.Objects() {
		if !slices.Contains(names, o.Machine()) {
			names = append(names, o.Machine())
		}
	}
	return names
}

// Late returns the number of distinct selected objects, counters and instances that
// appeared after the first sample and are not in the log.
func (w *Writer) Late() int {
	if w.values != nil {
		return len(w.values.late)
	}
	return w.contents.late()
}

// Size returns the length of the log in bytes, including the unwritten part of the current
// buffer.
func (w *Writer) Size() int64 { return w.out.size() }

// Stored returns the number of bytes in completely written buffers. After an error of a
// seekable writer, the log can be truncated there.
func (w *Writer) Stored() int64 { return w.out.whole() * int64(w.opt.BufferSize) }

// Flush writes the current buffer, so that a reader finds all samples in the log. The
// buffer is extended later; if the writer is no io.Seeker its rest stays empty, and a flush
// after every sample makes one buffer for each sample.
func (w *Writer) Flush() error {
	if w.err == nil && w.begun && !w.closed {
		w.settle(w.out.flush())
	}
	return w.err
}

// Close ends the log. It does not close the underlying writer. It returns the first error
// of writing. A log without samples is empty.
func (w *Writer) Close() error {
	if w.err == nil && w.begun && !w.closed {
		w.settle(w.end())
	}
	w.closed = true
	return w.err
}

// settle keeps the error of writing a record and removes the incomplete record.
func (w *Writer) settle(err error) {
	if w.err = err; err != nil {
		w.out.undo()
	}
}
