package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

// MaxReadings is the largest number of readings in an answer.
const MaxReadings = 10_000

// Values are the readings of one sample.
type Values struct {
	Source string    `json:"source"`
	Time   time.Time `json:"time"`
	// Readings is a JSON array of readings, as winperf get -o json prints them.
	Readings json.RawMessage `json:"readings"`
}

func (q *query) values(cycle *measure.Cycle) (*Values, error) {
	if n := cycle.Len(); n > MaxReadings {
		return nil, fmt.Errorf("%w: %d readings, expected at most %d: select fewer", ErrRequest, n, MaxReadings)
	}
	var b bytes.Buffer
	out, err := sink.New("json", &b, sink.Options{})
	if err == nil {
		err = errors.Join(out.Write(cycle.Time, cycle.Columns()), out.Close())
	}
	return &Values{Source: q.id, Time: shownTime(cycle.Time), Readings: bytes.TrimSpace(b.Bytes())}, err
}

// Values returns the readings of counters in the last sample at or before the end of the requested time.
func (v *View) Values(ctx context.Context, r Request) (*Values, error) {
	q, err := v.query(r, true)
	if err != nil {
		return nil, err
	}
	if q.live != nil {
		if err := q.live.to.wait(ctx, time.Time{}); err != nil {
			return nil, err
		}
	}

	end, last := r.End, q.src.Describe().Log.End
	if end.IsZero() || !last.IsZero() && end.After(last) {
		end = last
	}
	if limit := q.limitEnd; !limit.IsZero() && (end.IsZero() || end.After(limit)) {
		end = limit
	}
	sel := winperf.Selection{Paths: q.paths, End: end}
	const further, longest = 64, 1000 * time.Hour
	for back := q.margin(); ; back *= further {
		sel.Begin = q.limitBegin
		if from := end.Add(-back); from.After(q.limitBegin) && !end.IsZero() && q.step > 0 && back < longest {
			sel.Begin = from
		}
		found, err := q.latest(ctx, sel)
		if found != nil || err != nil || sel.Begin.Equal(q.limitBegin) {
			return found, err
		}
	}
}

// latest returns the values of the last sample of a selection. Without a sample it returns nil, or no
// readings if the selection is the whole log.
func (q *query) latest(ctx context.Context, sel winperf.Selection) (found *Values, err error) {
	m := measure.New(q.src, sel, measure.Options{Language: q.view.opt.Language})
	defer m.Close()

	var last *measure.Cycle
	for {
		cycle, err := m.Cycle(ctx)
		switch {
		case err == nil:
			last = cycle
			continue
		case errors.Is(err, winperf.ErrBadData):
			continue
		case !errors.Is(err, io.EOF):
			return nil, removed(err)
		case last != nil:
			return q.values(last) // the latest cycle is valid
		case sel.Begin.Equal(q.limitBegin):
			return &Values{Source: q.id, Time: shownTime(sel.End), Readings: json.RawMessage("[]")}, nil
		}
		return nil, nil
	}
}

// Follow passes the readings of each new sample of a live source to a function, until ctx ends or the
// function returns an error. Of a directory of logs it passes the latest sample every 2 seconds, if it is
// new.
func (v *View) Follow(ctx context.Context, r Request, do func(*Values) error) error {
	q, err := v.query(r, true)
	if err != nil {
		return err
	}
	if !q.grows {
		return fmt.Errorf("%w: the source is a log that does not grow", ErrRequest)
	}
	if q.live == nil {
		return q.poll(ctx, r, do)
	}

	sel := winperf.Selection{Paths: q.paths, Begin: q.live.to.end().Add(-q.margin())}
	opt := measure.Options{Language: v.opt.Language}
	for cycle, err := range measure.Watch(ctx, following{q.live.to}, sel, opt) {
		if err != nil {
			return err
		}
		q.live.need(q.paths...)
		values, err := q.values(cycle)
		if err == nil {
			err = do(values)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// poll follows a directory of logs.
func (q *query) poll(ctx context.Context, r Request, do func(*Values) error) error {
	r.End = time.Time{}
	last := time.Time{}
	for ctx.Err() == nil {
		values, err := q.view.Values(ctx, r)
		if err == nil && values.Time.After(last) {
			last = values.Time
			err = do(values)
		}
		if err != nil {
			return err
		}
		sleep(ctx, 2*time.Second)
	}
	return ctx.Err()
}
