package call_test

import (
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/call"
)

func TestPauses(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, tt := range []struct {
		first time.Duration
		want  []time.Duration
	}{
		{0, []time.Duration{
			100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 12800 * ms,
			25600 * ms, 51200 * ms, 600 * s, 600 * s,
		}},
		{10 * s, []time.Duration{
			10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 320 * s, 600 * s, 600 * s, 600 * s, 600 * s, 600 * s, 600 * s,
		}},
	} {
		p := call.Pauses{First: tt.first}
		now := time.Unix(1e9, 0)
		var got []time.Duration
		for i := range tt.want {
			if !p.Over(now) {
				t.Errorf("pause %d is not over", i)
			}
			pause := p.Fail(now)
			if p.Over(now.Add(pause - 1)) {
				t.Errorf("pause %d is over too soon", i)
			}
			got, now = append(got, pause), now.Add(pause)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("pauses %v, want %v", got, tt.want)
		}

		p.Fail(now)
		if p.Cut(); !p.Over(now) || p.Failures != len(tt.want)+1 {
			t.Errorf("cut short: %d failures", p.Failures)
		}
		p.Fail(now)
		if p.Reset(); !p.Over(now) || p.Fail(now) != tt.want[0] {
			t.Error("the pause after a success is not the first one")
		}
	}
}

// TestPausesAfterVeryMany: the number of failures does not overflow a pause.
func TestPausesAfterVeryMany(t *testing.T) {
	p := call.Pauses{Failures: 1 << 20}
	if got := p.Fail(time.Now()); got != 10*time.Minute {
		t.Errorf("pause %v", got)
	}
}
