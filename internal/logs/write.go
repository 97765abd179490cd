package logs

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/sink"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// Formats of raw values, and OpenMetrics. All others are formats of package sink.
const (
	Capture     = "capture"
	BLG         = "blg"
	OpenMetrics = "openmetrics"
)

// IsRaw reports whether a format has raw values.
func IsRaw(format string) bool { return format == BLG || format == Capture }

// Writer writes moments to a log. Samples reach the underlying writer immediately in a capture,
// with Flush or Close in other formats.
type Writer interface {
	Write(m *Moment) error
	Flush() error
	// Close completes the log. It does not close the underlying writer.
	Close() error
	// Late returns the number of series that appeared after the first moment and have no place in the
	// log.
	Late() int
}

// Options configure a [Writer].
type Options struct {
	// Paths select the counters of a binary log; nil selects all.
	Paths []winperf.Path
	// Name is the name of the file in a binary log, System the writing system in binary logs and
	// captures.
	Name, System string
	// Doubles writes the readings to a binary log as doubles, for samples without raw values.
	Doubles bool
	// Location is the zone of a binary log or a capture. nil is unknown in a capture.
	Location *time.Location
	// Sink is for formats of readings.
	Sink sink.Options
	// Named omits readings of unmatched names.
	Named bool
	// Chosen omits objects without readings from a capture.
	Chosen bool
	// Tail is the end of an existing log; nil begins a new one.
	Tail *Tail
	// Labels are added to all metrics. Instance adds InstanceLabel with the machine of each series, if
	// it is known. Otherwise Machines adds MachineLabel with the machine of the log.
	Labels             []metrics.Label
	Instance, Machines bool
	// Names are the schemes of metric names; nil is winperf's own.
	Names []metrics.Scheme
	// PhysicalMemory is the memory of the machine in bytes, which logs do not contain; 0 is unknown.
	PhysicalMemory uint64
	// Exclude omits metrics of these paths.
	Exclude []winperf.Path
	// Spool creates a temporary file for metrics that exceed the memory; nil keeps them in memory.
	Spool func() (prometheus.Spool, error)
}

// NewWriter returns a Writer of a format.
func NewWriter(w io.Writer, format string, opt Options) (Writer, error) {
	tail := opt.Tail
	if tail == nil {
		tail = &Tail{}
	}

	switch format {
	case Capture:
		how := capture.Options{Tail: tail.capture, Location: opt.Location, System: opt.System}
		return &captureWriter{Writer: capture.NewWriter(w, how), chosen: opt.Chosen}, nil
	case BLG:
		return newBLGWriter(w, opt, tail)
	case OpenMetrics:
		return newMetricsWriter(w, opt), nil
	}

	return newTextWriter(w, format, opt, tail)
}

type captureWriter struct {
	*capture.Writer
	chosen  bool
	objects objects
}

func (w *captureWriter) Write(m *Moment) (err error) {
	for _, cycle := range m.distinct() {
		sample := cycle.Sample
		if w.chosen {
			if sample, err = w.objects.choose(cycle); err != nil {
				return err
			}
		}
		if err := w.Writer.Write(sample); err != nil {
			return err
		}
	}
	return nil
}

func (w *captureWriter) Flush() error { return nil }

func (w *captureWriter) Late() int { return 0 }

// blgWriter writes a binary log of raw values.
type blgWriter struct{ *pdhlog.Writer }

func (w blgWriter) Write(m *Moment) error {
	for _, cycle := range m.distinct() {
		if err := w.Writer.Write(cycle.Frame, cycle.Names); err != nil {
			return err
		}
	}
	return nil
}

// doublesWriter writes a binary log of displayable values.
type doublesWriter struct {
	*pdhlog.Writer
	named View
}

func (w *doublesWriter) Write(m *Moment) error {
	return w.WriteReadings(m.Time, w.named.Named(m.Columns()))
}

func newBLGWriter(w io.Writer, opt Options, tail *Tail) (Writer, error) {
	how := pdhlog.Options{
		Layout: pdhlog.Objects, Location: opt.Location, System: opt.System,
		Name: filepath.Base(opt.Name), Paths: opt.Paths, Columns: opt.Sink.Columns, Tail: tail.blg,
	}
	if len(opt.Paths) > 0 {
		how.Layout = pdhlog.Counters
	}
	to, err := pdhlog.NewWriter(w, how)
	if opt.Doubles {
		return &doublesWriter{Writer: to}, err
	}
	return blgWriter{to}, err
}

// IsPacked reports whether JSON lines in a file of this name are compressed with zstd.
func IsPacked(name string) bool { return strings.EqualFold(filepath.Ext(name), ".zst") }

type textWriter struct {
	sink.Sink
	out    *bufio.Writer
	packed *zstd.Encoder // between out and the file; nil for none
	opt    Options
	named  View
	same   *sameCounters // checked with the first readings after a tail
}

func newTextWriter(w io.Writer, format string, opt Options, tail *Tail) (t *textWriter, err error) {
	t = &textWriter{opt: opt}
	if format == "jsonl" && IsPacked(opt.Name) {
		if t.packed, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); err != nil {
			return nil, err
		}
		w = t.packed
	}

	const atOnce = 256 << 10
	t.out = bufio.NewWriterSize(w, atOnce)
	if tail.head == nil {
		t.Sink, err = sink.New(format, t.out, opt.Sink)
		return t, err
	}
	t.Sink, err = pdhtext.NewAppender(t.out, tail.head, opt.Location, opt.Sink.ByName)
	t.same = newSameCounters(tail.head)
	return t, err
}

func (w *textWriter) Write(m *Moment) error {
	if m.Len() == 0 && w.opt.Sink.Columns == nil {
		return nil // it would define that there are no columns
	}
	if w.same != nil {
		if err := w.same.check(w.opt.Paths, m.Cycles[0]); err != nil {
			return err
		}
		w.same = nil
	}

	columns := m.Columns()
	if w.opt.Named {
		columns = w.named.Named(columns)
	}
	return w.Sink.Write(m.Time, columns)
}

func (w *textWriter) Flush() error {
	if err := w.out.Flush(); err != nil || w.packed == nil {
		return err
	}
	return w.packed.Flush()
}

func (w *textWriter) Close() error {
	if err := w.Sink.Close(); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil || w.packed == nil {
		return err
	}
	return w.packed.Close()
}

// LateNames returns the paths of the first few series that Late counts.
func (w *textWriter) LateNames() []string {
	if late, ok := w.Sink.(interface{ LateNames() []string }); ok {
		return late.LateNames()
	}
	return nil
}

func (w *textWriter) Late() int {
	if late, ok := w.Sink.(sink.LateCounter); ok {
		return late.Late()
	}
	return 0
}
