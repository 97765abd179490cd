package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/perfdata"
)

// span says which samples of a log are wanted. The zero span is all of them.
type span struct {
	every    int           // every n-th
	interval time.Duration // of those, the first one of each interval
	raw      bool          // cooked values are to be the raw ones
}

// sieve is a source that leaves out samples of another. It stands between a
// log and package measure, so that what is left is cooked over what is left
// out.
type sieve struct {
	winperf.Source
	span  span
	query *sieveQuery // compiled last
}

// position returns how many bytes of how many were read.
func (s *sieve) position() (at, size int64) {
	if s.query == nil {
		return 0, 0
	}
	return s.query.at, s.query.of
}

// Describe implements winperf.Source. How many samples are left is not known.
func (s *sieve) Describe() winperf.Description {
	d := s.Source.Describe()
	d.Samples = -1
	return d
}

// Compile implements winperf.Source.
func (s *sieve) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	inner, err := s.Source.Compile(ctx, sel)
	if err != nil {
		return nil, err
	}
	s.query = &sieveQuery{Query: inner, span: s.span}
	return s.query, nil
}

// sieveQuery leaves out samples of a query.
type sieveQuery struct {
	winperf.Query
	span  span
	seen  int       // samples so far
	start time.Time // of the first interval
	last  time.Time // of the sample taken last
	tick  int64     // the interval it was in

	at, of int64 // how far in the log
}

// takes tells whether the sample of a time is wanted.
func (q *sieveQuery) takes(t time.Time) bool {
	s := &q.span
	q.seen++
	if s.every > 1 && (q.seen-1)%s.every != 0 {
		return false
	}
	if s.interval <= 0 {
		return true
	}

	if q.start.IsZero() || t.Before(q.last) { // the first one, or the clock went back
		q.start, q.last, q.tick = t, t, 0
		return true
	}

	tick := int64(t.Sub(q.start) / s.interval)
	if tick == q.tick {
		return false
	}
	q.last, q.tick = t, tick
	return true
}

// Next implements winperf.Query.
func (q *sieveQuery) Next(ctx context.Context, s *winperf.Sample) error {
	var passed []error // damage of samples that are left out
	var err error
	for {
		err = q.Query.Next(ctx, s)
		q.at, q.of = s.At, s.Of
		if err != nil || q.takes(capture.Time(s)) {
			s.Damage = append(s.Damage, passed...)
			break
		}
		passed = append(passed, s.Damage...)
	}

	if !q.span.raw {
		return err
	}
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil {
			if err := showRaw(&b.Raw); err != nil {
				s.Release()
				return err
			}
		}
	}
	return err
}

// showRaw gives every counter of a sample the type of a plain number, so that
// it is cooked to its raw value. A base is shown too where it has a name of its
// own.
func showRaw(raw *winperf.Raw) error {
	if raw.Format != winperf.FormatV1 {
		return fmt.Errorf("raw values of a sample of format %d: %w", raw.Format, winperf.ErrNotSupported)
	}
	block, err := perfdata.Parse(raw.Bytes, perfdata.Options{Quirks: raw.Quirks})
	if err != nil {
		return nil // decoding tells of it, and reads what can be read
	}

	for i := range block.Objects {
		o := &block.Objects[i]
		for k := range o.Counters {
			c := &o.Counters[k]
			switch {
			case c.Type.IsText() || c.Type.IsBase() && (c.Title == 0 || k > 0 && c.Title == o.Counters[k-1].Title):
			case c.Size == 4:
				c.Type = counter.RawCount
			case c.Size == 8:
				c.Type = counter.LargeRawCount
			}
		}
	}

	b, err := block.AppendTo(nil)
	if err != nil {
		return errors.Join(winperf.ErrBadData, err)
	}
	raw.Bytes = b
	return nil
}
