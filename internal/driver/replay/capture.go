package replay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/frame"
)

// OpenCapture opens a file that package capture wrote, as a source whose samples
// are those that were recorded. Opening reads the index of the file, not its
// samples; a query needs the memory of a few samples. Damage is passed over and
// told with the next sample (winperf.Sample.Damage).
//
// Errors wrap fs.ErrNotExist, winperf.ErrBadData where the file is no capture,
// or winperf.ErrNotSupported where it is one of a later version.
func OpenCapture(file File) (winperf.Source, error) {
	f, err := file.open()
	if err != nil {
		return nil, err
	}

	s := &captureSource{name: file.Name, close: f.Close, log: winperf.LogInfo{Format: "winperf capture"}}
	info, err := f.Stat()
	if err == nil {
		s.file, err = capture.Open(f, info.Size())
	}
	if err == nil {
		err = s.readMachine()
	}

	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", file.Name, err), f.Close())
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
	log     winperf.LogInfo
}

// readMachine learns the machine's name, its zone and the schema from the first sample
// that has them.
func (s *captureSource) readMachine() error {
	const enough = 16 // samples that cannot be decoded
	c := s.file.Cursor()
	var pool frame.Pool
	for range enough {
		var sample winperf.Sample
		err := c.Next(context.Background(), &sample)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}

		if s.schema == nil {
			s.schema = sample.Schema
			s.log.Zone, s.log.Location = c.Zone()
		}
		if f, err := pool.Decode(&sample, frame.Frame{}); err == nil {
			s.schema, s.machine = sample.Schema, f.Machine()
			break
		}
	}

	if s.schema == nil {
		s.schema = &winperf.Schema{Interface: "file"}
	}
	return nil
}

// Describe implements winperf.Source. The machine is that of the first sample.
func (s *captureSource) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Recorded: true, Samples: s.file.Samples(), Log: s.log}
}

// Schema implements winperf.Source: that of the first sample.
func (s *captureSource) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }

// Close implements winperf.Source.
func (s *captureSource) Close() error { return s.close() }

// Compile implements winperf.Source. It accepts every selection: samples are as
// they were recorded.
func (s *captureSource) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	q := &captureQuery{source: s, sel: sel, cursor: s.file.Cursor()}
	if sel.Begin.IsZero() {
		return q, nil
	}
	return q, q.cursor.SeekTime(sel.Begin)
}

// captureQuery reads one sample after the other.
type captureQuery struct {
	source *captureSource
	sel    winperf.Selection
	cursor *capture.Cursor
}

// Next implements winperf.Query.
func (q *captureQuery) Next(ctx context.Context, s *winperf.Sample) error {
	err := q.cursor.Next(ctx, s)
	for err == nil && !q.sel.Within(capture.Time(s)) {
		err = q.cursor.Next(ctx, s)
	}

	s.At, s.Of = q.cursor.Position(), q.source.file.Size()
	for _, found := range q.cursor.Damage() {
		s.Damage = append(s.Damage, fmt.Errorf("%s: %w", q.source.name, found))
	}

	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", q.source.name, err)
	}
	return err
}

// Close implements winperf.Query.
func (q *captureQuery) Close() error { return nil }
