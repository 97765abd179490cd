package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/winperf/winperf"
)

// leaky is a source that keeps something for each query or compiled query.
type leaky struct {
	machine
	onCompile, onNext func()
	sample            winperf.Raw
	failAt            int
}

func (l *leaky) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	l.onCompile()
	return &leakyQuery{l}, nil
}

type leakyQuery struct{ l *leaky }

func (q *leakyQuery) Next(_ context.Context, s *winperf.Sample) error {
	q.l.onNext()
	if q.l.failAt--; q.l.failAt == 0 {
		return errors.New("no answer")
	}
	s.Begin().Raw = q.l.sample
	return nil
}

func (q *leakyQuery) Close() error { return nil }

func TestLong(t *testing.T) {
	if _, err := usageNow(); err != nil {
		t.Skip(err)
	}
	var kept [][]byte
	var files []*os.File
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	none := func() {}
	remember := func() {
		kept = append(kept, make([]byte, 4<<10))
		for i := range kept[len(kept)-1] {
			kept[len(kept)-1][i] = 1
		}
	}
	open := func() {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Error(err)
			return
		}
		files = append(files, f)
	}

	tests := []struct {
		name   string
		source leaky
		failed bool
		detail string // an expression
	}{
		{"clean", leaky{onCompile: none, onNext: none}, false, "handles and "},
		// Of the last 9,000 queries 89 are compiled. Go may start or end a thread, which is a handle, too.
		{"a file for each compiled query", leaky{onCompile: open, onNext: none}, true, `[+](8|9)\d handles`},
		{"memory for each query", leaky{onCompile: none, onNext: remember}, true, "KiB in the last 9000"},
		{"an error", leaky{onCompile: none, onNext: none, failAt: 5000}, true, "query 4999: no answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept = nil
			r := &Report{}
			r.long(t.Context(), newDriver("test:", &tt.source), "System", Options{})
			want := Check{fmt.Sprintf("%d queries of test:", longQueries), tt.failed, ""}
			got := r.Checks[0]
			detail := got.Detail
			if got.Detail = ""; got != want || !regexp.MustCompile(tt.detail).MatchString(detail) {
				t.Errorf("%+v: %q, want %+v: %q", got, detail, want, tt.detail)
			}
		})
	}
}
