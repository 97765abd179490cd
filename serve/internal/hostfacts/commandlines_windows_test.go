package hostfacts

import (
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

// TestCommandLines: each process has its own command line; a failed call gives none.
func TestCommandLines(t *testing.T) {
	fakeMachine(t)
	dll := winapi.NewDLL(wintest.DLL(t, "machine"))
	line := commandLinesOf(winapi.NewCommandLines(dll, dll))
	long := "long " + strings.Repeat("x", maxCommandLine-len("long "))
	for id, want := range map[uint64]string{
		4: "\"C:\\a b\\4.exe\" -x ä", 300: "\"C:\\a b\\300.exe\" -x ä", 0: "", 1<<32 + 4: "", 12: long, 13: "",
	} {
		if got := line(id); got != want {
			t.Errorf("process %d: %q, want %q", id, got, want)
		}
	}

	for _, function := range []string{"OpenProcess", "NtQueryInformationProcess"} {
		t.Setenv("WINPERF_FAKE", function)
		if got := line(4); got != "" {
			t.Errorf("%s fails: %q", function, got)
		}
	}
}
