package logs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// Log is what samples are read from: a log, or a live source that is recorded.
type Log struct {
	Name   string // for errors; "" where they need none
	Source winperf.Source
}

// Blame puts the log's name in front of an error that does not begin with it.
func (l *Log) Blame(err error) error {
	if strings.HasPrefix(err.Error(), l.Name) {
		return err
	}
	return fmt.Errorf("%s: %w", l.Name, err)
}

// Moment is what logs hold of one time. It is valid until the next one is read.
type Moment struct {
	Time   time.Time
	Cycles []*measure.Cycle // one of each log that has a sample of the time
	From   []*Log           // of each cycle
	// Damage was found in the logs since the moment before. Each error names its log.
	Damage []error
	// Done is how many bytes of the logs were read, of how many; 0 of 0 where that is not known.
	Done, Of int64
}

// Columns returns the columns of all cycles, those of one behind those of another.
func (m *Moment) Columns() []winperf.Column {
	if len(m.Cycles) == 1 {
		return m.Cycles[0].Columns()
	}
	var all []winperf.Column
	for _, cycle := range m.Cycles {
		all = append(all, cycle.Columns()...)
	}
	return all
}

// Len is the number of values of all cycles.
func (m *Moment) Len() int {
	n := 0
	for _, cycle := range m.Cycles {
		n += cycle.Len()
	}
	return n
}

// Displayed reports whether the samples hold displayable values and no raw ones.
func (m *Moment) Displayed() bool {
	return len(m.Cycles) > 0 && m.Cycles[0].Sample.CheckRaw() != nil
}

// Read yields what logs have, merged in the order of time, and goes over each of them once.
// Where nothing can be read behind the damage of a record, that is damage too and ends the
// record, not the others; damage behind the last sample comes in a moment without cycles.
// Any other error is yielded last. The end of the context is no error.
func Read(
	ctx context.Context, logs []*Log, sel winperf.Selection, opt measure.Options,
) iter.Seq2[*Moment, error] {
	return func(yield func(*Moment, error) bool) {
		walks := make([]walk, len(logs))
		for i, log := range logs {
			next, stop := iter.Pull2(measure.Watch(ctx, log.Source, sel, opt))
			defer stop()
			walks[i] = walk{log: log, next: next}
		}

		var m Moment
		for {
			m = Moment{Cycles: m.Cycles[:0], From: m.From[:0]}
			for i := range walks {
				if err := walks[i].advance(&m); err != nil {
					yield(nil, err)
					return
				}
			}

			m.take(walks)
			if len(m.Cycles) == 0 && len(m.Damage) == 0 || !yield(&m, nil) || len(m.Cycles) == 0 {
				return
			}
		}
	}
}

// walk is a log that is read.
type walk struct {
	log      *Log
	next     func() (*measure.Cycle, error, bool)
	cycle    *measure.Cycle // the next one to be taken; nil: it is not read yet
	ended    bool
	done, of int64
}

// advance reads the next sample, unless it is at hand.
func (w *walk) advance(m *Moment) error {
	if w.cycle != nil || w.ended {
		return nil
	}

	cycle, err, more := w.next()
	switch {
	case err != nil && errors.Is(err, winperf.ErrBadData) && w.log.Source.Describe().Recorded:
		m.Damage = append(m.Damage, w.log.Blame(err))
		w.ended = true
	case err != nil:
		return w.log.Blame(err)
	case !more:
		w.ended = true
	default:
		w.cycle = cycle
		for _, err := range cycle.Damage {
			m.Damage = append(m.Damage, w.log.Blame(err))
		}
	}
	return nil
}

// take takes the samples of the earliest time.
func (m *Moment) take(walks []walk) {
	for i := range walks {
		switch c := walks[i].cycle; {
		case c == nil || len(m.Cycles) > 0 && c.Time.After(m.Time):
		case len(m.Cycles) == 0 || c.Time.Before(m.Time):
			m.Cycles, m.From, m.Time = append(m.Cycles[:0], c), append(m.From[:0], walks[i].log), c.Time
		default:
			m.Cycles, m.From = append(m.Cycles, c), append(m.From, walks[i].log)
		}
	}

	for i := range walks {
		w := &walks[i]
		if w.cycle != nil && w.cycle.Time.Equal(m.Time) {
			w.done, w.of = w.cycle.Sample.At, w.cycle.Sample.Of
			w.cycle = nil
		}
		m.Done += w.done
		m.Of += w.of
	}
}
