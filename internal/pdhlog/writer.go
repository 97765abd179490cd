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

// Layout is one of the two ways in which a binary log keeps samples.
type Layout uint8

// The layouts.
const (
	// Counters keeps single raw values: of the counters that were asked for,
	// and for a wildcard instance an array of all instances. Where some of these may
	// not be read at first, which arrays cannot tell, their counters are a block.
	Counters Layout = iota
	// Objects keeps whole objects, each as a performance data block, and the
	// name table. It is larger and loses nothing.
	Objects
)

// Options choose the form of a binary log. The zero value keeps every
// counter of every instance as single values, in local time.
type Options struct {
	Layout Layout
	// Paths choose what is kept; none is everything. Of Counters those whose
	// instance is (*) make arrays, which hold instances that come later too;
	// others name the counters and instances that the first frame has, or will
	// have. Of Objects they choose objects, which are kept whole.
	Paths []winperf.Path
	// Location is the time zone of the log's times; nil is time.Local. A binary
	// log keeps local times, and in its head the rules of the zone in force in
	// the year of the first sample.
	Location *time.Location
	// Name is the name of the log file, which the log holds too.
	Name string
	// System is what wrote the log: that of another one as Header.System has it, or the
	// name of a program and its system; "" says Windows 8.
	System string
	// Columns are the paths of a log of displayable values ([Writer.WriteReadings]); none are
	// those of the first readings.
	Columns []string
	// Tail is the end of the log that is appended to, at the end of which the writer is. That
	// log has Location, Name, System, GUID and BufferSize. Its counters must be those that
	// are written; the first Write fails otherwise, and changes nothing. The catalogue of a
	// log of whole objects then counts the samples before. nil begins a new log.
	Tail *Tail
	// GUID identifies the log; zero makes a random one.
	GUID winperf.GUID
	// BufferSize is the size in bytes of the buffers that the file consists of,
	// a multiple of 8 from 16 KiB to 16 MiB; 0 is 64 KiB.
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
// The form is what real logs of Windows Vista and Windows 8 were seen to hold.
// What it writes reads back here to the same raw values. Whether Windows' own
// programs read it has NOT been verified on Windows.
//
// The first sample fixes what the log holds, as in Windows: the list of counters
// stands once, before the samples. Objects, counters and single instances that
// come later are not in the log; [Writer.Late] counts them. A single instance stays
// the same one, whatever it is called later, and its counter ends with it. A sample of several
// machines has the counters of each; no such log of Windows was seen.
//
// The file is written in whole buffers. [Writer.Flush] writes one that is not
// full yet, so that the log is whole without it, and goes back to write it again.
// Close and Flush go back to the head, too, for the time of the end and the number
// of buffers. Where the writer is no io.Seeker these stay 0, as in a log without
// an orderly end.
type Writer struct {
	opt       Options
	out       output
	sample    sampleWriter
	plan      plan
	catalogue *catalogue // of Objects
	values    *values    // of displayable values
	machines  []string   // of the first sample
	begun     bool
	closed    bool
	err       error // the first error of writing, which stays
}

// minWritten is the size of the smallest buffers that are written: an event has at most 8,072
// bytes.
const minWritten = 16 << 10

// NewWriter returns a writer of a log to w. Nothing is written before the
// first sample. The error wraps winperf.ErrNotSupported: an option has a value
// that it cannot have.
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

// Write writes a decoded sample. names are the names of its objects and
// counters; Cycle of package measure has both.
//
// An error of the underlying writer stays; after [Writer.Close] the error
// wraps winperf.ErrState. A frame of other machines than the first one's, or without a
// sample, is refused with an error that wraps winperf.ErrNotSupported, and the log goes
// on without it.
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
		return errors.Join(other, w.plan.older.Keep()) // the next sample of the log may be much later
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

// knows reports whether the log has any of a frame's machines.
func (w *Writer) knows(f frame.Frame) bool {
	known := func(machine string) bool { return slices.Contains(w.machines, machine) }
	return known(f.Machine()) || slices.ContainsFunc(machinesOf(f), known)
}

// machinesOf are the machines that a frame is of, the first one at least.
func machinesOf(f frame.Frame) []string {
	names := []string{f.Machine()}
	for o := range f.Objects() {
		if !slices.Contains(names, o.Machine()) {
			names = append(names, o.Machine())
		}
	}
	return names
}

// Late returns the number of distinct objects, counters and instances that were
// asked for, came after the first sample and are not in the log.
func (w *Writer) Late() int {
	if w.values != nil {
		return len(w.values.late)
	}
	return w.plan.late()
}

// Size returns the number of bytes of the log so far, those included that wait
// for their buffer to be full.
func (w *Writer) Size() int64 { return w.out.size() }

// Stored returns the number of bytes that the underlying writer has in whole
// buffers. After an error of one that can seek, the log can be cut off there: the
// samples before are whole.
func (w *Writer) Stored() int64 { return w.out.whole() * int64(w.opt.BufferSize) }

// Flush writes what waits for its buffer to be full. A reader then finds all samples in
// the log. The buffer is written again when more has come to it; where the writer is no
// io.Seeker its rest stays empty, and flushing every sample makes a log of one buffer a
// sample.
func (w *Writer) Flush() error {
	if w.err == nil && w.begun && !w.closed {
		w.settle(w.out.flush())
	}
	return w.err
}

// Close ends the log. It does not close the underlying writer. The error is the
// first one of writing. A log without samples stays empty.
func (w *Writer) Close() error {
	if w.err == nil && w.begun && !w.closed {
		w.settle(w.end())
	}
	w.closed = true
	return w.err
}

// settle keeps the error of writing a record, which leaves the log as it was
// before.
func (w *Writer) settle(err error) {
	if w.err = err; err != nil {
		w.out.undo()
	}
}
