package linuxhost

import (
	"os/exec"
	"testing"
	"time"
)

// TestLiveStart compares the start of a process with the time at which this test started it. The kernel
// rounds the start down to clock ticks. All sessions have the same time.
func TestLiveStart(t *testing.T) {
	const tick, rounding = 10 * time.Millisecond, 200 * time.Microsecond
	before := time.Now()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	after := time.Now()
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()

	first := startOf(t, liveRig(t), cmd.Process.Pid)
	if first.Before(before.Add(-tick-rounding)) || first.After(after) {
		t.Errorf("started %v after the time before, %v before the time after", first.Sub(before), after.Sub(first))
	}
	if again := startOf(t, liveRig(t), cmd.Process.Pid); !again.Equal(first) {
		t.Errorf("start %v, in another session %v later", first, again.Sub(first))
	}
}

// startOf returns the start of a process in a sample.
func startOf(t *testing.T, r *rig, pid int) time.Time {
	t.Helper()
	o := r.object(230)
	for _, in := range o.instances {
		if in.values[o.at(784)].raw == uint64(pid) {
			return time.Unix(0, int64(in.values[o.at(684)].raw-unixEpoch)*100)
		}
	}
	t.Fatalf("no process %d", pid)
	return time.Time{}
}
