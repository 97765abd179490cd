package api

import (
	"encoding/json"
	"errors"
	"net/url"
	"testing"

	"github.com/winperf/winperf/view"
)

// TestStatus: of several errors the status is always the same one.
func TestStatus(t *testing.T) {
	for range 100 {
		for _, tt := range []struct {
			err  error
			want int
		}{
			{errors.Join(view.ErrRemoved, view.ErrRequest), 400},
			{errors.Join(view.ErrRemoved, view.ErrNoSource), 404},
			{view.ErrRemoved, 410},
			{errors.New("other"), 500},
		} {
			if got := Status(tt.err); got != tt.want {
				t.Fatalf("%v: %d, want %d", tt.err, got, tt.want)
			}
		}
	}
}

// FuzzRequest: accepted parameters have times that JSON can express and steps without a sign, and the same
// parameters give the same request.
func FuzzRequest(f *testing.F) {
	for _, query := range []string{
		`path=\Process(*)\*&begin=2024-01-17T22:20:00Z&end=1705530000000&step=0.5`,
		"begin=-253402300799999", "end=0000-01-01T00:00:00%2B14:00", "end=9999-12-31T23:59:59-14:00",
		"begin=NaN&end=1e300", "begin=0x1p4", "step=NaN", "step=-1", "step=9e9&points=10000&top=99999999999999999999",
		"points=0", "path=a&path=a&path=%00&source=%ff", "step=1e-300",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, _ := url.ParseQuery(query)
		r, err := Request(q)
		if err == nil {
			if _, bad := json.Marshal([]any{r.Begin, r.End}); bad != nil {
				t.Errorf("%q: %v", query, bad)
			}
			if again, bad := Request(q); bad != nil || again.Begin != r.Begin || again.End != r.End || again.Source != r.Source {
				t.Errorf("%q: %+v, then %+v %v", query, r, again, bad)
			}
		} else if Status(err) != 400 {
			t.Errorf("%q: %v has the status %d", query, err, Status(err))
		}

		s, err := stepsOf(q)
		if err == nil && (s.Step < 0 || s.Points < 0 || s.Top < 0) || err != nil && s.Step < 0 {
			t.Errorf("%q: %+v %v", query, s, err)
		}
		if err != nil && Status(err) != 400 {
			t.Errorf("%q: %v has the status %d", query, err, Status(err))
		}
	})
}
