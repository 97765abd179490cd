package cli

import (
	"bufio"
	"fmt"
	"path/filepath"
	"time"

	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/pdhlog"
	"github.com/winperf/winperf/sink"
)

// recordFormats are what record writes; the first is the one without options.
func recordFormats() []sink.Format {
	formats := []sink.Format{
		{
			Name: "capture", Extensions: []string{".capture"},
			Description: "raw samples as they are, to be decoded later",
		},
		{
			Name: "blg", Extensions: []string{".blg"},
			Description: "binary performance log of Windows, raw values",
		},
	}
	for _, f := range sink.Formats() {
		switch f.Name {
		case "csv", "tsv", "jsonl":
			formats = append(formats, f)
		}
	}
	return formats
}

// newForm makes the form of a file.
func (r *recorder) newForm(f *recordFile, tail *recordTail) (recordForm, error) {
	switch r.format {
	case "capture":
		opt := capture.Options{Tail: tail.capture, Location: r.log.Location}
		if r.live {
			opt.Location = r.zone.Location
		}
		return captureForm{capture.NewWriter(f, opt)}, nil
	case "blg":
		opt := pdhlog.Options{
			Layout: pdhlog.Objects, Name: filepath.Base(f.name), Paths: r.paths, System: writtenBy(r.log),
			Location: r.zone.Location,
		}
		if len(opt.Paths) > 0 {
			opt.Layout = pdhlog.Counters
		}
		w, err := pdhlog.NewWriter(f, opt)
		return &blgForm{r: r, w: w, onDisk: isRegular(f.file)}, err
	}
	return r.newText(f, tail.head)
}

// newText makes the form of a text file. One that has a head goes on below it.
func (r *recorder) newText(f *recordFile, head *pdhtext.Head) (*textForm, error) {
	t := &textForm{r: r, out: bufio.NewWriterSize(f, outputBuffer)}
	var err error
	if head == nil {
		t.sink, err = sink.New(r.format, t.out, r.zone.sinkOptions(true))
		return t, err
	}

	if t.sink, err = pdhtext.NewAppender(t.out, head, r.zone.Location); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	t.same = newSameCounters(head)
	return t, nil
}

// captureForm writes raw samples.
type captureForm struct{ w *capture.Writer }

func (f captureForm) write(c *measure.Cycle) error { return f.w.Write(c.Sample) }

func (f captureForm) flush() error { return nil }

func (f captureForm) end() error { return f.w.Close() }

// blgForm writes a binary log. Its buffers reach the file when they are begun and
// when they are full, and otherwise with each sample, of fast ones each flushEvery.
type blgForm struct {
	r       *recorder
	w       *pdhlog.Writer
	onDisk  bool // a buffer can be written again
	flushed time.Time
}

// flushEvery bounds what is lost with a program that is killed, and what it costs
// to write a buffer again and again.
const flushEvery = time.Second

func (f *blgForm) write(c *measure.Cycle) error {
	if err := f.w.Write(c.Frame, c.Names); err != nil {
		_ = f.w.Flush() // what came before a sample that is refused; else it is the same error
		return err
	}

	// A buffer that is not in the file yet takes its place on the disk with its first
	// sample: those that come to it find room.
	slow := f.r.live && time.Duration(f.r.every) >= flushEvery
	begun := f.onDisk && f.w.Size() > f.w.Stored()
	if !slow && !begun && time.Since(f.flushed) < flushEvery {
		return nil
	}
	return f.flush()
}

func (f *blgForm) flush() error {
	f.flushed = time.Now()
	return f.w.Flush()
}

func (f *blgForm) length() int64 { return f.w.Size() }

func (f *blgForm) stored() int64 { return f.w.Stored() }

func (f *blgForm) end() error {
	f.r.late += f.w.Late()
	return f.w.Close()
}

// textForm writes readings.
type textForm struct {
	r    *recorder
	sink sink.Sink
	out  *bufio.Writer
	same *sameCounters // to be looked at with the first sample of a file that is gone on with
}

func (f *textForm) write(c *measure.Cycle) error {
	if c.Len() == 0 {
		return nil
	}
	if f.same != nil {
		if err := f.same.check(f.r.paths, c); err != nil {
			return err
		}
		f.same = nil
	}

	if err := f.sink.Write(c.Time, c); err != nil {
		return err
	}
	return f.flush()
}

func (f *textForm) flush() error { return f.out.Flush() }

func (f *textForm) end() error {
	err := f.sink.Close()
	if late, ok := f.sink.(sink.LateCounter); ok {
		f.r.late += late.Late()
	}
	if err != nil {
		return err
	}
	return f.flush()
}
