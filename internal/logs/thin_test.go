package logs

import (
	"slices"
	"testing"
	"time"
)

func TestThin(t *testing.T) {
	start := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	tests := map[string]struct {
		thin Thin
		at   []float64
		want []float64
	}{
		"all":                           {Thin{}, []float64{0, 1, 1, 0.5}, []float64{0, 1, 1, 0.5}},
		"every third":                   {Thin{Every: 3}, []float64{0, 1, 2, 3, 4, 5, 6}, []float64{0, 3, 6}},
		"intervals do not drift":        {Thin{Interval: 2 * time.Second}, []float64{0, 1, 2.1, 3, 3.9, 4, 5.9, 6.2}, []float64{0, 2.1, 4, 6.2}},
		"an interval without samples":   {Thin{Interval: 2 * time.Second}, []float64{0, 1, 7, 7.5, 8}, []float64{0, 7, 8}},
		"the clock goes back":           {Thin{Interval: 2 * time.Second}, []float64{10, 11, 5, 6.5, 7}, []float64{10, 5, 7}},
		"goes back within the interval": {Thin{Interval: 10 * time.Second}, []float64{10, 15, 12}, []float64{10}},
	}
	for name, tt := range tests {
		q := thinnedQuery{thin: tt.thin}
		var got []float64
		for _, s := range tt.at {
			if q.includes(at(s)) {
				got = append(got, s)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
