package replay

import (
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// TestBefore reads a range with the sample before it.
func TestBefore(t *testing.T) {
	const text = `"(PDH-CSV 4.0) (UTC)(0)","\\M\Memory\Available MBytes"
"01/02/2026 10:00:00.000","1"
"01/02/2026 10:00:10.000","2"
"01/02/2026 10:00:20.000","3"
"01/02/2026 10:00:30.000","4"
`
	day := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		begin  time.Duration
		before bool
		want   []time.Duration
	}{
		{15 * time.Second, false, []time.Duration{20 * time.Second, 30 * time.Second}},
		{15 * time.Second, true, []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second}},
		{0, true, []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second}},
	} {
		sel := winperf.Selection{Global: true, Begin: day.Add(test.begin), Before: test.before}
		q, err := openTextLog(t, text).Compile(t.Context(), sel)
		if err != nil {
			t.Fatal(err)
		}

		var sample winperf.Sample
		var got []time.Duration
		for q.Next(t.Context(), &sample) == nil {
			got = append(got, capture.Time(&sample).Sub(day))
		}
		if len(got) != len(test.want) || len(got) > 0 && got[0] != test.want[0] {
			t.Errorf("from %v, before %v: got %v, want %v", test.begin, test.before, got, test.want)
		}
		_ = q.Close()
	}
}
