package serve

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/source"
)

// TestSoakGroups runs 50 short commands per second, and two long ones, for the time in WINPERF_SOAK, and
// compares the processor time of the groups with the busy time in /proc/stat. It asserts only that the groups do
// not have more.
func TestSoakGroups(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK has no duration")
	}
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	e, err := New(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	ctx, stop := context.WithCancel(t.Context())
	const short = "i=0; while [ $i -lt 4000 ]; do i=$((i+1)); done"
	forks := exec.CommandContext(ctx, "sh", "-c", "while :; do sh -c '"+short+"' & sleep 0.02; done")
	long := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
	for _, cmd := range []*exec.Cmd{forks, long} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}

	groups, busy := groupTime(t, e), busyTime(t)
	for range max(1, int(length/(15*time.Second))) {
		time.Sleep(min(length, 15*time.Second))
		groupTime(t, e)
	}
	gotGroups, gotBusy := groupTime(t, e)-groups, busyTime(t)-busy
	stop()
	_, _ = forks.Wait(), long.Wait()
	t.Logf("the groups have %.1f s of %.1f s, %.1f %%", gotGroups, gotBusy, 100*gotGroups/gotBusy)
	if gotGroups > gotBusy*1.02 {
		t.Error("the groups have more than the processors were busy")
	}
}

// groupTime returns the processor time of all groups.
func groupTime(t *testing.T, e *Exporter) (sum float64) {
	t.Helper()
	_, text := scrape(e, "/metrics")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "winperf_process_group_processor_time_seconds_total{") {
			n, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

// busyTime returns user, nice and system of /proc/stat in seconds.
func busyTime(t *testing.T) float64 {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	var user, nice, system float64
	if _, err := fmt.Sscanf(string(text), "cpu %f %f %f", &user, &nice, &system); err != nil {
		t.Fatal(err)
	}
	return (user + nice + system) / 100
}
