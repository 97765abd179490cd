package experiment_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
)

// TestSoakRates compares the rates of events with the processor time that /proc has, while processes start and
// end, for as long as WINPERF_SOAK says.
func TestSoakRates(t *testing.T) {
	end := time.Now().Add(soakTime(t))
	script := "while :; do i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done; sleep 0.05; done"
	var pids []int
	for range 4 {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Wait() })
		pids = append(pids, cmd.Process.Pid)
	}

	r := live(t, experiment.Options{Bindings: []experiment.Binding{{
		Events: []string{"tick"}, Raw: true, MaxValues: 10_000_000, Capacity: 1_000_000,
		Paths: []winperf.Path{{Object: "Process", Instance: "*", Counter: "% Processor Time", HasInstance: true}},
	}}})
	var before, after []map[int]float64
	for time.Now().Before(end) {
		before = append(before, used(t, pids))
		r.program.Event(t.Context(), "tick")
		after = append(after, used(t, pids))
		time.Sleep(200 * time.Millisecond)
	}

	records := r.end()
	if len(records) != len(before) {
		t.Fatalf("%d records of %d events", len(records), len(before))
	}
	summed, last := map[int]float64{}, map[int]int64{}
	for i, rec := range records {
		for _, v := range rec.Values {
			id, _, _ := strings.Cut(v.Series.Key, "@")
			pid, err := strconv.Atoi(id)
			if err != nil || len(v.Raw) == 0 {
				continue
			}
			now := v.Raw[0].Clocks.Time100ns
			if rate, ok := v.Value.Float64(); ok && i > 0 {
				summed[pid] += rate / 100 * float64(now-last[pid]) / 1e7
			}
			last[pid] = now
		}

		// An event returns when its sample is begun, which is complete when the next one is begun.
		if i == 0 || i+1 == len(records) {
			continue
		}
		for _, pid := range pids {
			least, most := before[i][pid]-after[1][pid], after[i+1][pid]-before[0][pid]
			slack := 0.001 * max(1, most)
			if sum := summed[pid]; sum < least-slack || sum > most+slack {
				t.Fatalf("record %d: process %d used %.3f s by its rates, and %.3f to %.3f s by /proc", i, pid, sum, least, most)
			}
		}
	}
	t.Logf("%d records", len(records))
}

// used is how many seconds of processor time processes have used.
func used(t *testing.T, pids []int) map[int]float64 {
	t.Helper()
	all := map[int]float64{}
	for _, pid := range pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):]))
		for _, field := range fields[12:14] { // of the user and of the kernel
			ticks, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[pid] += ticks / 100
		}
	}
	return all
}
