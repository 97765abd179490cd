package summary

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

func TestTolerance(t *testing.T) {
	for _, tt := range []struct {
		text string
		want tolerance
		ok   bool
	}{{"0", 0, true}, {"2.5", 2.5, true}, {"10%", 10, true}, {"-1", 0, false}, {"NaN", 0, false}, {"Inf", 0, false}, {"", 0, false}, {"a", 0, false}} {
		var v tolerance
		if err := v.Set(tt.text); (err == nil) != tt.ok || v != tt.want {
			t.Errorf("%q: %v, %v", tt.text, v, err)
		}
	}
}

// watched is a source of which each sample is noted with its time.
type watched struct {
	winperf.Source
	at []time.Duration
}

func (w *watched) Describe() winperf.Description { return winperf.Description{Machine: "HOST"} }

func (w *watched) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	return &watchedQuery{source: w, begin: time.Now()}, nil
}

type watchedQuery struct {
	source *watched
	begin  time.Time
}

func (q *watchedQuery) Next(_ context.Context, s *winperf.Sample) error {
	b := s.Begin()
	b.Format, b.Bytes = winperf.FormatV1, append(b.Bytes, perftest.Block(perftest.Small)...)
	q.source.at = append(q.source.at, time.Since(q.begin))
	return nil
}

func (q *watchedQuery) Close() error { return nil }

// TestComparePace: live sources are sampled once more than they are compared, with an interval between two samples.
func TestComparePace(t *testing.T) {
	for _, live := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := comparer{every: input.Interval(time.Second), count: 2, live: live}
			sources := []*watched{{}, {}}
			for _, src := range sources {
				sel := winperf.Selection{Global: true}
				s := &side{source: src, measure: measure.New(src, sel, measure.Options{FramesOnly: true})}
				if err := s.prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.sides = append(c.sides, s)
			}
			if err := c.measure(t.Context()); err != nil {
				t.Fatal(err)
			}

			want := []time.Duration{0, 0, 0}
			if live {
				want = []time.Duration{0, time.Second, 2 * time.Second}
			}
			for i, src := range sources {
				if !slices.Equal(src.at, want) || c.sides[i].samples != len(want) {
					t.Errorf("live %v: sampled at %v, want %v", live, src.at, want)
				}
			}
		})
	}
}
