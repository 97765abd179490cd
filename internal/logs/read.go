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

// Log is a log or live source to read.
type Log struct {
	Name   string // for errors; may be ""
	Source winperf.Source
}

// Blame adds the log's name to an error that does not begin with it.
func (l *Log) Blame(err error) error {
	if strings.HasPrefix(err.Error(), l.Name) {
		return err
	}
	return fmt.Errorf("%s: %w", l.Name, err)
}

// Moment has the samples of logs at one time. It is valid until the next one is read.
type Moment struct {
	Time   time.Time
	Cycles []*measure.Cycle // one of each log that has a sample of the time
	From   []*Log           // the log of each cycle
	// Damage was found in the logs since the previous moment. Each error names its log.
	Damage []error
	// Conflicts are different values of the logs for one series.
	Conflicts Conflicts
	// Done is the number of bytes read, Of the size of the logs; both are 0 if unknown.
	Done, Of int64

	columns [][]winperf.Column // by cycle, if there are several
}

// Columns returns the columns of all cycles. If several logs have a value of one series, it is in the
// columns once: the value of the first log that has one.
func (m *Moment) Columns() []winperf.Column {
	if len(m.Cycles) == 1 {
		return m.Cycles[0].Columns()
	}
	var all []winperf.Column
	for i := range m.Cycles {
		all = append(all, m.ColumnsOf(i)...)
	}
	return all
}

// ColumnsOf returns the part of Columns from cycle i.
func (m *Moment) ColumnsOf(i int) []winperf.Column {
	if len(m.Cycles) == 1 {
		return m.Cycles[i].Columns()
	}
	return m.columns[i]
}

// Len returns the number of values of all cycles.
func (m *Moment) Len() int {
	n := 0
	for _, cycle := range m.Cycles {
		n += cycle.Len()
	}
	return n
}

// Read yields the samples of logs, merged by time. Damage that ends a log does not end the others;
// damage after the last sample is in a moment without cycles. Any other error is yielded last. The
// end of the context is no error.
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
		var same overlap
		for {
			m = Moment{Cycles: m.Cycles[:0], From: m.From[:0]}
			for i := range walks {
				if err := walks[i].advance(&m); err != nil {
					yield(nil, err)
					return
				}
			}

			m.take(walks)
			if len(m.Cycles) > 1 {
				same.merge(&m)
			}
			if len(m.Cycles) == 0 && len(m.Damage) == 0 || !yield(&m, nil) || len(m.Cycles) == 0 {
				return
			}
		}
	}
}

type walk struct {
	log      *Log
	next     func() (*measure.Cycle, error, bool)
	cycle    *measure.Cycle // the next cycle; nil if it is not read yet
	ended    bool
	done, of int64
}

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

// take moves the samples of the earliest time to m.
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
