package logs

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

// Thin selects samples of a log. The zero Thin selects all.
type Thin struct {
	Every    int           // every n-th sample
	Interval time.Duration // of these, the first one of each interval
	Raw      bool          // show raw values; requires samples of blocks

	// Note, unless nil, is called with each block before Raw changes its counters.
	Note func(*perfdata.Block)
}

// Of returns a source with the selected samples of src. Rates cover the whole time between two
// selected samples.
func (t Thin) Of(src winperf.Source) winperf.Source {
	if t.Every <= 1 && t.Interval <= 0 && !t.Raw {
		return src
	}
	return thinned{src, t}
}

type thinned struct {
	winperf.Source
	thin Thin
}

// Describe implements [winperf.Source]. The number of samples is unknown.
func (s thinned) Describe() winperf.Description {
	d := s.Source.Describe()
	d.Samples = -1
	return d
}

// Compile implements [winperf.Source].
func (s thinned) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	q, err := s.Source.Compile(ctx, sel)
	if err != nil {
		return nil, err
	}
	return &thinnedQuery{Query: q, thin: s.thin, begin: sel.Begin}, nil
}

type thinnedQuery struct {
	winperf.Query
	thin  Thin
	begin time.Time // of the range; a sample before it is only the base of rates
	seen  int       // number of samples
	start time.Time // of the first interval
	last  time.Time // time of the latest selected sample
	tick  int64     // the number of its interval
}

func (q *thinnedQuery) includes(t time.Time) bool {
	if !t.IsZero() && t.Before(q.begin) {
		return true
	}

	q.seen++
	if q.thin.Every > 1 && (q.seen-1)%q.thin.Every != 0 {
		return false
	}
	if q.thin.Interval <= 0 {
		return true
	}

	if q.start.IsZero() || t.Before(q.last) { // the first one, or the clock was set back
		q.start, q.last, q.tick = t, t, 0
		return true
	}

	tick := int64(t.Sub(q.start) / q.thin.Interval)
	if tick == q.tick {
		return false
	}
	q.last, q.tick = t, tick
	return true
}

// Next implements [winperf.Query]. It adds the damage of skipped samples to the next.
func (q *thinnedQuery) Next(ctx context.Context, s *winperf.Sample) error {
	err := q.Query.Next(ctx, s)
	var passed []error
	for err == nil && !q.includes(capture.Time(s)) {
		passed = append(passed, s.Damage...)
		err = q.Query.Next(ctx, s)
	}
	s.Damage = append(s.Damage, passed...)

	for i := 0; err == nil && q.thin.Raw && i < len(s.Parts); i++ {
		if b := s.Parts[i].Block; b != nil {
			err = q.thin.showRaw(&b.Raw)
		}
		if err != nil {
			s.Clear()
		}
	}
	return err
}

// showRaw changes the type of every counter to a plain number, whose value is the raw value. A base
// is shown if it has its own name.
func (t Thin) showRaw(raw *winperf.Raw) error {
	b, err := edit(raw, func(block *perfdata.Block) {
		if t.Note != nil {
			t.Note(block)
		}

		for i := range block.Objects {
			counters := block.Objects[i].Counters
			for k := range counters {
				c := &counters[k]
				switch {
				case c.Type.IsText() || c.Type.IsBase() && !named(counters, k):
				case c.Size == 4:
					c.Type = counter.RawCount
				case c.Size == 8:
					c.Type = counter.LargeRawCount
				}
			}
		}
	})

	if errors.Is(err, errDecode) {
		return nil // decoding reports it and reads the undamaged part
	}
	raw.Bytes = b
	return err
}

// named reports whether a base has its own name.
func named(counters []perfdata.Counter, k int) bool {
	title := counters[k].Title
	return title != 0 && (k == 0 || title != counters[k-1].Title)
}

// errDecode reports that a block cannot be changed because it is damaged.
var errDecode = errors.New("the block cannot be decoded")

// edit returns the bytes of a changed copy of a block.
func edit(raw *winperf.Raw, change func(*perfdata.Block)) ([]byte, error) {
	if raw.Format != winperf.FormatV1 {
		const form = "cannot select or change objects in a sample of format %d: %w"
		return raw.Bytes, fmt.Errorf(form, raw.Format, winperf.ErrNotSupported)
	}
	block, err := perfdata.Parse(raw.Bytes, raw.Quirks)
	if err != nil {
		return raw.Bytes, fmt.Errorf("%w: %w", errDecode, err)
	}

	change(block)
	b, err := block.AppendTo(nil)
	if err != nil {
		return raw.Bytes, errors.Join(winperf.ErrBadData, err)
	}
	return b, nil
}
