// Package replay is the source of recorded samples: logs, captures, readings as lines of JSON, and
// files that hold one performance data block each, as RegQueryValueEx gave it.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// Choices worth knowing here:
//
// A binary log is a source of V1 blocks: whole objects are taken over byte for byte, single
// raw values become objects with the log's counters and made-up title indices
// (source/internal/pdhraw), so that nothing above knows logs. Objects that a log collected at other
// times than the rest of the sample carry clocks of their own at the end of their header
// (datablock.AppendClocks).
//
// A text log is a source of blocks of displayable values (internal/valueblock): they were
// computed long ago and have no types. A query for names or definitions gives all their series in
// one sample, and there is nothing to dump.

// record is a source of recorded samples. It is immutable, so that any number of goroutines may
// use it: each query has a reader of its own.
type record struct {
	name   string // that errors begin with; "" where they need none
	is     winperf.Description
	schema *winperf.Schema
	open   func(winperf.Selection) (reader, error)
	close  func() error // nil where there is nothing to close
}

// reader reads the samples of a record, one after the other.
type reader interface {
	// next fills a sample that holds nothing with the next one, or with one further on that
	// the selection wants. At the end it returns io.EOF.
	next(ctx context.Context, s *winperf.Sample) error
	// damage returns what was passed over since the last call.
	damage() []error
	// position returns how many bytes were read, of how many.
	position() (at, of int64)
	Close() error
}

// Describe implements winperf.Source.
func (r *record) Describe() winperf.Description { return r.is }

// Schema implements winperf.Source.
func (r *record) Schema(context.Context) (*winperf.Schema, error) { return r.schema, nil }

// Compile implements winperf.Source. It accepts every selection, other machines in paths too:
// samples are as they were recorded, and their reader takes what it wants. Objects by
// identity are not found among displayable values, because these have none.
func (r *record) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	return &query{record: r, sel: sel}, nil
}

// Close implements winperf.Source.
func (r *record) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// blame puts the record's name in front of an error that does not begin with it.
func (r *record) blame(err error) error {
	if strings.HasPrefix(err.Error(), r.name) {
		return err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// query reads a record from its beginning.
type query struct {
	*record
	sel    winperf.Selection
	reader reader // nil before the first sample
}

// Next implements winperf.Query.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	err := ctx.Err()
	if err == nil && q.reader == nil {
		var r reader
		if r, err = q.open(q.sel); err == nil {
			q.reader = r
		}
	}

	if err == nil {
		err = q.next(ctx, s)
	}

	if err != nil {
		s.Clear()
	}
	if q.reader != nil {
		s.At, s.Of = q.reader.position()
		for _, found := range q.reader.damage() {
			s.Damage = append(s.Damage, q.blame(found))
		}
	}
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return q.blame(err)
	}
	return err
}

// next reads the next sample that is wanted.
func (q *query) next(ctx context.Context, s *winperf.Sample) error {
	for {
		if err := q.reader.next(ctx, s); err != nil || q.sel.Within(capture.Time(s)) {
			return err
		}
		s.Clear()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// Close implements winperf.Query.
func (q *query) Close() error {
	if q.reader == nil {
		return nil
	}
	return q.reader.Close()
}

// input is a file that counts what was read of it.
type input struct {
	*os.File
	read, size int64
}

// input opens the file.
func (f File) input() (*input, error) {
	file, err := f.open()
	if err != nil {
		return nil, err
	}
	in := &input{File: file}
	if info, err := file.Stat(); err == nil {
		in.size = info.Size()
	}
	return in, nil
}

// Read implements io.Reader.
func (i *input) Read(p []byte) (int, error) {
	n, err := i.File.Read(p)
	i.read += int64(n)
	return n, err
}

// position implements reader.
func (i *input) position() (at, of int64) { return i.read, i.size }
