package wintest

import (
	"os"
	"testing"

	"github.com/winperf/winperf/internal/winapi"
)

// Repeat calls f 500 times, or 10,000 times with WINPERF_SOAK in the environment. It fails the test
// if the process then has more handles, or much more memory, than after the first fifth.
func Repeat(t *testing.T, f func()) {
	t.Helper()
	n := 500
	if os.Getenv("WINPERF_SOAK") != "" {
		n = 10_000
	}

	for range n / 5 {
		f()
	}
	handles, memory := Used(t)
	for range n - n/5 {
		f()
	}

	handlesNow, memoryNow := Used(t)
	t.Logf("%d calls: %d handles, then %d; %d KiB, then %d KiB",
		n, handles, handlesNow, memory>>10, memoryNow>>10)
	if handlesNow > handles+20 { // the Go runtime occasionally starts a thread
		t.Errorf("handles grew from %d to %d", handles, handlesNow)
	}
	if memoryNow > memory+memory/4+8<<20 {
		t.Errorf("memory grew from %d to %d KiB", memory>>10, memoryNow>>10)
	}
}

// Used has the handles and the bytes of memory of the process.
func Used(t *testing.T) (handles int, memory uint64) {
	t.Helper()
	kernel := winapi.NewKernel(winapi.NewDLL("kernel32.dll"))
	handles, err := kernel.HandleCount()
	if err != nil {
		t.Fatal(err)
	}
	info, err := kernel.MemoryInfo()
	if err != nil {
		t.Fatal(err)
	}
	return handles, uint64(info.WorkingSetSize)
}
