// Package replay is the source of recorded samples: files that hold one
// performance data block each, as RegQueryValueEx gave it.
package replay

import (
	"context"
	"fmt"
	"io"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/frame"
)

// Choices worth knowing here:
//
// A binary log is a source of V1 blocks: whole objects are taken over byte for byte, single
// raw values become objects with the log's counters and made-up title indices
// (internal/pdhraw), so that nothing above knows logs. Objects that a log collected at other
// times than the rest of the sample carry clocks of their own at the end of their header
// (perfdata.AppendClocks).
//
// A text log is a source whose samples hold readings and no blocks: its values were cooked
// long ago and have no types. So list works from the columns, which a query for definitions
// gives, and there is nothing to dump.

// OpenPerfdata opens performance data blocks as a source. spec is
// FILE[,FILE...][?names=FILE...]: each file is one sample, in the order given;
// names gives a file with the names of objects and counters, as
// nametable.ReadFile takes it, and may be there several times, separated by &.
// A file whose own name holds a comma or a question mark can be given with %
// and two hexadecimal digits for it, as in a URL.
//
// The error wraps winperf.ErrNotSupported where spec asks for something else.
func OpenPerfdata(spec string) (winperf.Source, error) {
	files, names, err := parseSpec(spec)
	if err != nil {
		return nil, err
	}
	return OpenFiles(files, names)
}

// OpenFiles opens performance data blocks, one sample a file, as a source. The
// files in names hold names of objects and counters; what they lack, or what
// is damaged in them, is in the schema's Damage.
//
// The first sample is read to learn the machine's name, so that a wrong file
// is found at once; errors wrap fs.ErrNotExist, winperf.ErrBadData or
// winperf.ErrNotSupported. The others are read when they are sampled.
func OpenFiles(files, names []string) (winperf.Source, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("no file with a sample was given: %w", winperf.ErrNotSupported)
	}
	s := &source{schema: &winperf.Schema{Interface: "file"}}
	for _, name := range files {
		s.files = append(s.files, At(name))
	}

	for _, name := range names {
		table, damage, err := readNames(name)
		if err != nil {
			return nil, err
		}
		s.schema.Names = append(s.schema.Names, table)
		s.schema.Damage = append(s.schema.Damage, damage...)
	}

	if err := s.readMachine(); err != nil {
		return nil, err
	}
	return s, nil
}

// OpenBlock opens a performance data block as a source of one sample.
func OpenBlock(file File) (winperf.Source, error) {
	s := &source{files: []File{file}, schema: &winperf.Schema{Interface: "file"}}
	if err := s.readMachine(); err != nil {
		return nil, err
	}
	return s, nil
}

// source is immutable, so that any number of goroutines may use it.
type source struct {
	files   []File
	schema  *winperf.Schema
	machine string
}

// readMachine reads the machine's name in the first sample, which finds a file
// that is missing or no performance data block at once.
func (s *source) readMachine() error {
	var raw winperf.Raw
	if err := s.read(&raw, 0); err != nil {
		return err
	}
	var pool frame.Pool
	f, err := pool.Decode(raw.Sample(), frame.Frame{})
	if err != nil {
		return fmt.Errorf("%s: %w", s.files[0].Name, err)
	}
	s.machine = f.Machine()
	return nil
}

// read takes file i as a sample.
func (s *source) read(raw *winperf.Raw, i int) (err error) {
	raw.Format, raw.Schema = winperf.FormatV1, s.schema
	raw.Bytes, err = readFile(s.files[i], raw.Bytes[:0])
	return err
}

// Describe implements winperf.Source. The machine is that of the first sample.
func (s *source) Describe() winperf.Description {
	return winperf.Description{Machine: s.machine, Recorded: true, Samples: len(s.files)}
}

// Schema implements winperf.Source.
func (s *source) Schema(context.Context) (*winperf.Schema, error) { return s.schema, nil }

// Close implements winperf.Source. Nothing is kept open.
func (s *source) Close() error { return nil }

// Compile implements winperf.Source. It accepts every selection, other machines
// in paths too: samples are as they were recorded, and who reads them takes
// what he wants.
func (s *source) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &query{source: s, sel: sel}, nil
}

// query reads one file after the other.
type query struct {
	source *source
	sel    winperf.Selection
	next   int
	blocks winperf.Blocks
}

// Next implements winperf.Query. A file that cannot be read is tried again by the
// next call.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	b := s.Begin(&q.blocks)
	s.Schema = q.source.schema
	err := q.read(ctx, &b.Raw)
	for err == nil && !q.sel.Within(capture.Time(s)) {
		err = q.read(ctx, &b.Raw)
	}
	if err != nil {
		s.Release()
	}
	return err
}

func (q *query) read(ctx context.Context, raw *winperf.Raw) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if q.next == len(q.source.files) {
		return io.EOF
	}
	if err := q.source.read(raw, q.next); err != nil {
		return err
	}
	q.next++
	return nil
}

// Close implements winperf.Query.
func (q *query) Close() error { return nil }
