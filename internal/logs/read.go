package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
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
	// Ended are the logs whose last sample was in the previous moment.
	Ended []*Log
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
		defer stop(walks)
		var waiting []*walk
		for i, log := range logs {
			walks[i] = walk{log: log}
			if len(logs) > 1 && log.Source.Describe().Recorded {
				walks[i].start, _ = FirstTime(ctx, log.Source) // an error is found again when it is read
			}
			waiting = append(waiting, &walks[i])
		}
		slices.SortStableFunc(waiting, func(a, b *walk) int { return a.start.Compare(b.start) })

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

			// A log is not read before its first sample is due, so that only logs that overlap are in memory.
			for len(waiting) > 0 && !isBefore(walks, waiting[0].start) {
				w := waiting[0]
				waiting = waiting[1:]
				w.next, w.stop = iter.Pull2(measure.Watch(ctx, w.log.Source, sel, opt))
				if err := w.advance(&m); err != nil {
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

// FirstTime returns the time of the first sample of a log.
func FirstTime(ctx context.Context, src winperf.Source) (time.Time, error) {
	q, err := src.Compile(ctx, winperf.Selection{Global: true, Costly: true})
	if err != nil {
		return time.Time{}, err
	}
	defer q.Close()

	var sample winperf.Sample
	err = q.Next(ctx, &sample)
	if errors.Is(err, io.EOF) {
		err = errors.New("the log has no sample to count the time from")
	}
	if err != nil {
		return time.Time{}, err
	}
	return capture.Time(&sample), nil
}

type walk struct {
	log      *Log
	start    time.Time                            // of its first sample; zero if unknown
	next     func() (*measure.Cycle, error, bool) // nil before it begins
	stop     func()
	cycle    *measure.Cycle // the next cycle; nil if it is not read yet
	ended    bool
	done, of int64
}

func (w *walk) advance(m *Moment) error {
	if w.next == nil || w.cycle != nil || w.ended {
		return nil
	}

	cycle, err, more := w.next()
	switch {
	case err != nil && errors.Is(err, winperf.ErrBadData) && w.log.Source.Describe().Recorded:
		m.Damage = append(m.Damage, w.log.Blame(err))
		w.end(m)
	case err != nil:
		return w.log.Blame(err)
	case !more:
		w.end(m)
	default:
		w.cycle = cycle
		for _, err := range cycle.Damage {
			m.Damage = append(m.Damage, w.log.Blame(err))
		}
	}
	return nil
}

func (w *walk) end(m *Moment) {
	w.ended = true
	m.Ended = append(m.Ended, w.log)
}

// isBefore reports whether a sample that was read is earlier than t.
func isBefore(walks []walk, t time.Time) bool {
	return slices.ContainsFunc(walks, func(w walk) bool { return w.cycle != nil && w.cycle.Time.Before(t) })
}

func stop(walks []walk) {
	for i := range walks {
		if walks[i].stop != nil {
			walks[i].stop()
		}
	}
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
