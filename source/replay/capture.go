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

// OpenCapture opens a file that package capture wrote, as a source whose samples
// are those that were recorded. Opening reads the index of the file, not its
// samples; a query needs the memory of a few samples. Damage is passed over and
// told by the query (winperf.DamagedQuery).
//
// Errors wrap fs.ErrNotExist, winperf.ErrBadData where the file is no capture,
// or winperf.ErrNotSupported where it is one of a later version.
func OpenCapture(name string) (winperf.Source, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	s := &captureSource{name: name, close: f.Close}
	info, err := f.Stat()
	if err == nil {
		s.file, err = capture.Open(f, info.Size())
	}
	if err == nil {
		err = s.readMachine()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return s, nil
}

// captureSource is immutable but for what capture.File locks.
type captureSource struct {
	name    string
	file    *capture.File
	close   func() error
	schema  *winperf.Schema
	machine string
}

// readMachine learns the machine's name and the schema from the first sample
// that has them.
func (s *captureSource) readMachine() error {
	const enough = 16 // samples that cannot be decoded
	c := s.file.Cursor()
	var pool frame.Pool
	for range enough {
		f := pool.Get()
		err := c.Next(context.Background(), f.Raw())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if s.schema == nil {
			s.schema = f.Raw().Schema
		}
		if err := f.Decode(frame.Frame{}); err == nil || f.NumObjects() > 0 {
			s.schema, s.machine = f.Raw().Schema, f.Machine()
			break
		}
		f.Release()
	}
	if s.schema == nil {
		s.schema = &winperf.Schema{Interface: "file"}
	}
	return nil
}

// Machine implements winperf.Source: the machine of the first sample.
func (s *captureSource) Machine() string { return s.machine }

// Recorded implements winperf.Recorded.
func (s *captureSource) Recorded() int { return s.file.Samples() }

// Log implements winperf.Described.
func (s *captureSource) Log() winperf.LogInfo { return winperf.LogInfo{Format: "winperf capture"} }

// Schema implements winperf.Source: that of the first sample.
func (s *captureSource) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }

// Close implements winperf.Source.
func (s *captureSource) Close() error { return s.close() }

// Compile implements winperf.Source. It accepts every selection: samples are as
// they were recorded.
func (s *captureSource) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &captureQuery{source: s, cursor: s.file.Cursor()}, nil
}

// captureQuery reads one sample after the other.
type captureQuery struct {
	source *captureSource
	cursor *capture.Cursor
}

// Sample implements winperf.Query.
func (q *captureQuery) Sample(ctx context.Context, raw *winperf.Raw) error {
	err := q.cursor.Next(ctx, raw)
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", q.source.name, err)
	}
	return err
}

// SeekTime goes in front of the last sample before a time, or where there is
// none, to the first one.
func (q *captureQuery) SeekTime(_ context.Context, t time.Time) error {
	return q.cursor.SeekTime(t)
}

// Damage implements winperf.DamagedQuery.
func (q *captureQuery) Damage() []error {
	damage := q.cursor.Damage()
	for i, err := range damage {
		damage[i] = fmt.Errorf("%s: %w", q.source.name, err)
	}
	return damage
}

// Position implements winperf.Positioned.
func (q *captureQuery) Position() (at, size int64) { return q.cursor.Position(), q.source.file.Size() }

// Close implements winperf.Query.
func (q *captureQuery) Close() error { return nil }
