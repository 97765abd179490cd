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
	begin, end time.Time     // both inclusive; zero is no bound
	every      int           // of those between, every n-th
	interval   time.Duration // of those, the first one of each interval
	raw        bool          // cooked values are to be the raw ones
}

// sieve is a source that leaves out samples of another. It stands between a
// log and package measure, so that what is left is cooked over what is left
// out.
type sieve struct {
	winperf.Source
	span  span
	query winperf.Query // compiled last, of the other source
}

// position returns how many bytes of how many were read.
func (s *sieve) position() (at, size int64) {
	if p, ok := s.query.(winperf.Positioned); ok {
		return p.Position()
	}
	return 0, 0
}

// Recorded implements winperf.Recorded. How many are left is not known.
func (s *sieve) Recorded() int { return -1 }

// Compile implements winperf.Source.
func (s *sieve) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	inner, err := s.Source.Compile(ctx, sel)
	if err != nil {
		return nil, err
	}
	if seeker, ok := inner.(timeSeeker); ok && !s.span.begin.IsZero() {
		if err := seeker.SeekTime(ctx, s.span.begin); err != nil {
			return nil, errors.Join(err, inner.Close())
		}
	}
	s.query = inner
	q := &sieveQuery{Query: inner, span: s.span}
	if cooked, ok := inner.(winperf.CookedQuery); ok {
		return &cookedSieve{q, cooked}, nil
	}
	return q, nil
}

// timeSeeker is implemented by queries that find a time without reading all that
// is before it.
type timeSeeker interface {
	// SeekTime goes in front of the last sample before t, or further to the
	// beginning.
	SeekTime(ctx context.Context, t time.Time) error
}

// sieveQuery leaves out samples of a query.
type sieveQuery struct {
	winperf.Query
	span  span
	seen  int       // samples between begin and end
	start time.Time // of the first interval
	last  time.Time // of the sample taken last
	tick  int64     // the interval it was in
}

// takes tells whether the sample of a time is wanted.
func (q *sieveQuery) takes(t time.Time) bool {
	s := &q.span
	if !s.begin.IsZero() && t.Before(s.begin) || !s.end.IsZero() && t.After(s.end) {
		return false
	}
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

// Sample implements winperf.Query.
func (q *sieveQuery) Sample(ctx context.Context, raw *winperf.Raw) error {
	for {
		if err := q.Query.Sample(ctx, raw); err != nil {
			return err
		}
		if q.takes(capture.Time(raw)) {
			break
		}
	}
	if q.span.raw {
		return showRaw(raw)
	}
	return nil
}

// Damage implements winperf.DamagedQuery.
func (q *sieveQuery) Damage() []error {
	if d, ok := q.Query.(winperf.DamagedQuery); ok {
		return d.Damage()
	}
	return nil
}

// cookedSieve leaves out samples of a log that holds displayable values.
type cookedSieve struct {
	*sieveQuery
	cooked winperf.CookedQuery
}

// Readings implements winperf.CookedQuery.
func (q *cookedSieve) Readings(ctx context.Context, buf []winperf.Reading) ([]winperf.Reading, error) {
	for {
		readings, err := q.cooked.Readings(ctx, buf)
		if err != nil || len(readings) == len(buf) || q.takes(readings[len(buf)].Time) {
			return readings, err
		}
	}
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
