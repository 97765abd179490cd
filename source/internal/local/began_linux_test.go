package local

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// A process that starts after a sample and uses a processor has a rate in the next one, which is its whole processor time
// over the time between the two samples. /proc has that time before and after the sample.
func TestBurstHasRate(t *testing.T) {
	src, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	sel := winperf.Selection{Paths: parse(t, `\Process(*)\% Processor Time`)}
	m := measure.New(src, sel, measure.Options{Names: []measure.NameRule{measure.ByPID()}})
	defer m.Close()
	first, err := m.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begin := first.Time

	burner := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
	if err := burner.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = burner.Process.Kill()
		_ = burner.Wait()
	}()
	pid := burner.Process.Pid
	for usedTicks(t, pid) < 20 { // of 10 ms
		time.Sleep(10 * time.Millisecond)
	}

	least := usedTicks(t, pid)
	cycle, err := m.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	most := usedTicks(t, pid)

	seconds := cycle.Time.Sub(begin).Seconds()
	for _, r := range cycle.Readings() {
		if r.Path.Instance != strconv.Itoa(pid) {
			continue
		}
		if !strings.HasPrefix(r.Key, fmt.Sprint(pid, "@")) || !r.Anomalies.Has(winperf.InstanceBegan) {
			t.Errorf("%s has the key %q and the anomalies %v", r.Series, r.Key, r.Anomalies)
		}
		rate, _ := r.Value.Float64()
		used := rate / 100 * seconds * 100 // in ticks
		const tolerance = 5                // the two clocks and the sample's own time
		if r.Status != counter.OK || used <= 0 || used < least-tolerance || used > most+tolerance {
			t.Errorf("%s: %v, %.1f %% of %.2f s are %.1f ticks; /proc had %.0f before and %.0f after the sample",
				r.Series, r.Status, rate, seconds, used, least, most)
		}
		return
	}
	t.Errorf("process %d is not in the sample", pid)
}

// usedTicks returns the processor time of a process in units of 10 ms.
func usedTicks(t *testing.T, pid int) float64 {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')'):]))
	user, err := strconv.ParseFloat(fields[12], 64)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := strconv.ParseFloat(fields[13], 64)
	if err != nil {
		t.Fatal(err)
	}
	return user + kernel
}
