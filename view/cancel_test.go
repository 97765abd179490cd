package view_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// endless is a log whose samples stop after some, until the reader stops.
type endless struct {
	winperf.Source
	after int
	open  atomic.Int64
}

func (e *endless) Describe() winperf.Description {
	is := e.Source.Describe()
	is.Samples, is.Log.End = -1, time.Time{} // as of a csv log
	return is
}

func (e *endless) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	sel.Every = 0 // all samples take their time
	q, err := e.Source.Compile(ctx, sel)
	e.open.Add(1)
	return &endlessQuery{q, e, 0}, err
}

type endlessQuery struct {
	winperf.Query
	log  *endless
	read int
}

func (q *endlessQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if q.read++; q.read > q.log.after {
		<-ctx.Done()
		return ctx.Err()
	}
	err := q.Query.Next(ctx, s)
	s.At, s.Of = int64(q.read), 1000
	return err
}

func (q *endlessQuery) Close() error { q.log.open.Add(-1); return q.Query.Close() }

// TestCancel: while a log is read, there is a picture of its first samples and the part that was read. After
// Cancel nothing is read, and the answers are about these samples.
func TestCancel(t *testing.T) {
	src, err := source.OpenLog(t.Context(), writeLog(t, t.TempDir(), 0, 100, block), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := &endless{Source: src, after: 12}
	v := newView(t, view.Options{}, view.Source{Name: "endless", Source: log})
	objects, err := v.Objects(t.Context(), view.Request{})
	if err != nil || len(objects.Objects) != 3 {
		t.Fatalf("%v, %v", objects, err)
	}
	sources, err := v.Sources(t.Context())
	if s := sources.Sources[0]; err != nil || s.Done != 12 || s.Of != 1000 || len(s.Damage) > 0 {
		t.Fatalf("%+v, %v", s, err)
	}

	r := view.Request{Paths: []string{`\Process(*)\Working Set`}}
	answered := make(chan error, 1)
	go func() { _, err := v.Statistics(t.Context(), r); answered <- err }()
	wait(t, "the log is being read", func() bool { return log.open.Load() == 1 })
	if err := v.Cancel(""); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; !errors.Is(err, view.ErrRequest) || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("statistics: %v", err)
	}
	wait(t, "nothing is read", func() bool { return log.open.Load() == 0 })

	chart, err := v.Range(t.Context(), r, view.Steps{})
	if err != nil || !chart.Complete || len(chart.Series) != 2 || len(chart.Times) != 12 ||
		!slices.Equal(chart.Series[0].Average[:3], view.Numbers{1000, 1001, 1002}) {
		t.Errorf("%+v, %v", chart, err)
	}
	sources, err = v.Sources(t.Context())
	if s := sources.Sources[0]; err != nil || s.Done != s.Of || len(s.Damage) != 1 || s.Samples != 12 {
		t.Errorf("%+v, %v", s, err)
	}
	if n := log.open.Load(); n != 0 {
		t.Errorf("%d readers", n)
	}
}

// TestCancelLate: to cancel a log that was read changes nothing.
func TestCancelLate(t *testing.T) {
	src, err := source.OpenLog(t.Context(), writeLog(t, t.TempDir(), 0, 100, block), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := newView(t, view.Options{}, view.Source{Name: "log", Source: src})
	if _, err := v.Statistics(t.Context(), view.Request{Paths: []string{`\Process(*)\Working Set`}}); err != nil {
		t.Fatal(err)
	}
	wait(t, "the log was read", func() bool {
		events, err := v.Events(t.Context(), view.Request{})
		return err == nil && events.Complete
	})
	if err := v.Cancel(""); err != nil {
		t.Fatal(err)
	}

	figures, err := v.Statistics(t.Context(), view.Request{Paths: []string{`\Process(shell)\Working Set`}})
	if err != nil || len(figures.Series) != 1 || figures.Series[0].Count != 100 {
		t.Errorf("%+v, %v", figures, err)
	}
}

// TestCancelRefused: only a log that exists can be cancelled.
func TestCancelRefused(t *testing.T) {
	v := newView(t, view.Options{}, view.Source{Name: "live", Source: &machine{of: block, schema: schema()}})
	if err := v.Cancel("0"); !errors.Is(err, view.ErrRequest) {
		t.Errorf("live: %v", err)
	}
	if err := v.Cancel("7"); !errors.Is(err, view.ErrNoSource) {
		t.Errorf("unknown: %v", err)
	}
}
