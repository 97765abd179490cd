// Package replay is the source of stored samples: logs, captures, readings as lines of JSON, and
// files with one performance data block each, as returned by RegQueryValueEx.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// Design:
//
// A binary log becomes version 1 blocks: whole objects are copied byte for byte, and single raw
// values become objects with the log's counters and assigned title indices
// (source/internal/pdhraw). Other packages need no knowledge of logs. Objects that a log collected
// at other times than the rest of the sample carry separate clocks at the end of their header
// (datablock.AppendClocks).
//
// A text log becomes blocks of displayable values (internal/valueblock), which have no types. A
// query for names or definitions returns all series in one sample. Raw data cannot be dumped.

// record is a source of stored samples. It is immutable, so any number of goroutines may use it;
// each query has a separate reader.
type record struct {
	name   string // prefix of errors, or ""
	is     winperf.Description
	schema *winperf.Schema
	open   func(winperf.Selection) (reader, error)
	close  func() error // nil if nothing needs to be closed
}

// reader reads the samples of a record, one after the other.
type reader interface {
	// next fills an empty sample with the next sample. It may skip samples that the selection does
	// not want. At the end it returns io.EOF.
	next(ctx context.Context, s *winperf.Sample) error
	// damage returns the damage skipped since the last call.
	damage() []error
	// position returns the number of bytes read, and the total.
	position() (at, of int64)
	Close() error
}

// Describe implements winperf.Source.
func (r *record) Describe() winperf.Description { return r.is }

// Schema implements winperf.Source.
func (r *record) Schema(context.Context) (*winperf.Schema, error) { return r.schema, nil }

// Compile implements winperf.Source. It accepts every selection, even with other machines in paths:
// samples stay as they were stored, and readers choose from them. Displayable values have no
// identities, so a selection of objects by identity does not match them.
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

// blame adds the record's name to an error that does not begin with it.
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
	reader reader    // nil before the first sample
	last   time.Time // time of the previous sample
	base   time.Time // time of the sample before the range, until it is read; zero for none
}

// skipper is a reader that can skip samples without decoding them.
type skipper interface {
	// skip makes the reader omit samples for which omit returns true.
	skip(omit func(time.Time) bool)
}

// Next implements winperf.Query.
func (q *query) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	err := ctx.Err()
	if err == nil && q.reader == nil {
		err = q.findBase(ctx)
	}
	if err == nil && q.reader == nil {
		err = q.begin(func(t time.Time) bool { return !q.isBase(t) && !q.includes(t) })
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

// findBase finds the last sample before the range, if the selection requests it. It reads the times of the
// samples up to the range, or those around its begin if the reader can seek.
func (q *query) findBase(ctx context.Context) error {
	if !q.sel.Before || q.sel.Begin.IsZero() || q.sel.Metadata || q.sel.NamesOnly {
		return nil
	}

	// A reader opened for no path reads no values.
	times := query{record: q.record, sel: winperf.Selection{Begin: q.sel.Begin}}
	earlier := func(t time.Time) bool {
		is := !t.IsZero() && t.Before(q.sel.Begin)
		if is {
			q.base = t
		}
		return is
	}
	if err := times.begin(earlier); err != nil {
		return err
	}
	defer times.Close()

	var s winperf.Sample
	for times.reader.next(ctx, &s) == nil && earlier(capture.Time(&s)) {
		s.Clear()
	}
	return ctx.Err()
}

// begin opens the reader, which omits samples for which omit returns true.
func (q *query) begin(omit func(time.Time) bool) error {
	r, err := q.open(q.sel)
	if err != nil {
		return err
	}
	q.reader = r
	if s, can := r.(skipper); can {
		s.skip(omit)
	}
	return nil
}

// Times returns the times of all samples in place of the samples. If the reader can skip samples, it decodes
// none, so samples that cannot be decoded are included. At the end of a damaged log it returns the times of
// the readable part.
func (q *query) Times(ctx context.Context) (all []time.Time, err error) {
	add := func(t time.Time) bool {
		if q.includes(t) {
			q.last = t
			all = append(all, t)
		}
		return true
	}
	if err := q.begin(add); err != nil {
		return nil, q.blame(err)
	}

	var s winperf.Sample
	for q.next(ctx, &s) == nil {
		all = append(all, q.last)
		s.Clear()
	}
	return all, ctx.Err()
}

// next reads the next wanted sample.
func (q *query) next(ctx context.Context, s *winperf.Sample) error {
	for {
		if err := q.reader.next(ctx, s); err != nil {
			return err
		}
		switch t := capture.Time(s); {
		case q.isBase(t):
			q.base = time.Time{}
			return nil
		case q.includes(t):
			q.last = t
			return nil
		}
		s.Clear()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// includes reports whether a sample is in the range of the selection, and not less than Selection.Every
// after the previous one. It is not too early if the clock was set back between them.
func (q *query) includes(t time.Time) bool {
	tooEarly := q.sel.Every > 0 && !q.last.IsZero() && !t.Before(q.last) && t.Sub(q.last) < q.sel.Every
	return q.sel.Within(t) && !tooEarly
}

// isBase reports whether t is the time of the sample before the range, which was not read yet.
func (q *query) isBase(t time.Time) bool { return !q.base.IsZero() && t.Equal(q.base) }

// Close implements winperf.Query.
func (q *query) Close() error {
	if q.reader == nil {
		return nil
	}
	return q.reader.Close()
}

// input is a file that counts the bytes read.
type input struct {
	*os.File
	read, size int64
}

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
