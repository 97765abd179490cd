package linuxhost

import "testing"

// TestMachineStart shows the start of the machine by its clocks, rounded down to 0.1 ms, and by btime where the
// clocks are of another system.
func TestMachineStart(t *testing.T) {
	const (
		real, ms   = 1_700_000_000 * second, second / 1000
		exact      = unixEpoch + 1_700_000_000*perSecond
		tenth      = perSecond / 10_000
		halfSecond = perSecond / 2
	)
	for name, tt := range map[string]struct {
		real  int64   // at boot
		late  []int64 // ns between the readings of two clocks
		btime uint64
		want  int64
	}{
		"whole":                 {real, []int64{0, 0, 0, 0, 0}, 1_700_000_000, exact},
		"half a second":         {real + 500*ms, []int64{90, 40, 50, 60, 70}, 1_700_000_000, exact + halfSecond},
		"interrupted":           {real + 500*ms, []int64{ms, 9 * ms, 80, 2 * ms, 3 * ms}, 1_700_000_000, exact + halfSecond},
		"always interrupted":    {real, []int64{3 * ms, 2 * ms, 4 * ms, 2 * ms, 3 * ms}, 1_700_000_000, exact + 20*tenth},
		"between two tenths":    {real + ms/10 + 99_000, []int64{90, 400, 500, 600, 700}, 1_700_000_000, exact + tenth},
		"no btime":              {real + 500*ms, []int64{0, 0, 0, 0, 0}, 0, exact + halfSecond},
		"almost the next btime": {real + 999*ms, []int64{0, 0, 0, 0, 0}, 1_700_000_000, exact + 9990*tenth},
		"files of another boot": {real + 500*ms, []int64{0, 0, 0, 0, 0}, 1_600_000_000, exact - 100_000_000*perSecond},
		"another time zone":     {real + 3600*second, []int64{0, 0, 0, 0, 0}, 1_700_000_000, exact},
	} {
		read := 0
		now := func() Times {
			boot := (1000 + int64(read)) * second
			read++
			return Times{Boot: boot, Real: tt.real + boot + tt.late[read-1]}
		}
		if got := machineStart(now, tt.btime); got != tt.want {
			t.Errorf("%s: %d, want %d: %d off", name, got, tt.want, got-tt.want)
		}
	}
}
