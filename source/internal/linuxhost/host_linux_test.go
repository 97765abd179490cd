package linuxhost

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A program that is stopped between two clocks reads them again.
func TestClocksAreReadTogether(t *testing.T) {
	for stopped := range 4 { // before the clock of this number, the first time
		var boot, reads int64
		times := readTogether(func(id int32) int64 {
			if boot += 100; reads == int64(stopped) {
				boot += int64(time.Hour)
			}
			reads++
			switch id {
			case unix.CLOCK_MONOTONIC:
				return boot - 5_000_000
			case unix.CLOCK_REALTIME:
				return boot + 7_000_000
			}
			return boot
		})
		suspended, epoch := times.Boot-times.Monotonic, times.Real-times.Boot
		if suspended < 5_000_000-1000 || suspended > 5_000_000 || epoch < 7_000_000 ||
			epoch > 7_000_000+1000 {
			t.Errorf("stopped before clock %d: %+v", stopped, times)
		}
	}

	// A machine on which every reading takes long still has times.
	if times := readTogether(func(int32) int64 {
		time.Sleep(
			2 * time.Millisecond)
		return now().Boot
	}); times.Boot == 0 {
		t.Error("no time")
	}
}
