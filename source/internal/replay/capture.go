package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/frame"
)

// OpenCapture opens a capture, a file of package capture, as a source. It reads the index of the
// file, not its samples; a query needs the memory of a few samples. Damage is skipped and reported
// with the next sample (winperf.Sample.Damage).
//
// Errors wrap fs.ErrNotExist, winperf.ErrBadData if the file is no capture, or
// winperf.ErrNotSupported if it has a later version.
func OpenCapture(file File) (winperf.Source, error) {
	f, err := file.input()
	if err != nil {
		return nil, err
	}

	held, err := capture.Open(f, f.size)
	if err == nil {
		var r *record
		if r, err = describeCapture(held); err == nil {
			r.name, r.close = file.Name, f.File.Close
			return r, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", file.Name, err), f.Close())
}

// describeCapture reads the machine's name, its time zone and the schema from the first sample that
// has them.
func describeCapture(held *capture.File) (*record, error) {
	r := &record{
		is:     winperf.Description{Recorded: true, Samples: held.Samples()},
		schema: &winperf.Schema{Interface: "file"},
	}
	r.is.Log.Format = "winperf capture"
	r.is.Log.Begin, r.is.Log.End = held.Span()
	r.open = func(sel winperf.Selection) (reader, error) {
		q := &captureReader{held.Cursor(), held.Size()}
		if sel.Begin.IsZero() {
			return q, nil
		}
		return q, q.SeekTime(sel.Begin)
	}

	const enough = 16 // samples that cannot be decoded
	c := held.Cursor()
	var pool frame.Pool
	known := false
	for range enough {
		var sample winperf.Sample
		err := c.Next(context.Background(), &sample)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}

		if sample.Schema != nil && !known {
			known, r.schema = true, sample.Schema
			r.is.Log.Zone, r.is.Log.Location = c.Zone()
			r.is.Log.System = c.System()
		}
		if f, err := pool.Decode(&sample, frame.Frame{}); err == nil {
			r.is.Machine = f.Machine()
			if sample.Schema != nil {
				r.schema = sample.Schema
			}
			break
		}
	}
	return r, nil
}

// captureReader reads one sample after the other.
type captureReader struct {
	*capture.Cursor
	size int64
}

func (r *captureReader) next(ctx context.Context, s *winperf.Sample) error { return r.Next(ctx, s) }

func (r *captureReader) skip(omit func(time.Time) bool) { r.Omit(omit) }

func (r *captureReader) damage() []error { return r.Damage() }

func (r *captureReader) position() (at, of int64) { return r.Position(), r.size }

// Close implements reader. The source closes the file.
func (r *captureReader) Close() error { return nil }
