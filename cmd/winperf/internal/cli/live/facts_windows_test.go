package live

import (
	"os"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

// TestFactReader: each process has its own user and command line; a failed call gives none of the text.
func TestFactReader(t *testing.T) {
	t.Setenv("WINPERF_FAKE", "")
	dll := winapi.NewDLL(wintest.DLL(t, "machine"))
	newReader := func() func(uint64) map[string]string {
		return factReaderOf(winapi.NewAccounts(dll, dll), winapi.NewCommandLines(dll, dll))
	}
	const command = `"C:\a b\4.exe" -x ä`
	read := newReader()
	for range 2 { // the second time users are known
		for pid, want := range map[uint64][2]string{
			4:         {`NT AUTHORITY\system`, command},
			300:       {`SHOP\300`, `"C:\a b\300.exe" -x ä`},
			10:        {"", `"C:\a b\10.exe" -x ä`}, // an account without a name
			0:         {},
			1<<32 + 4: {}, // no process id
		} {
			got := read(pid)
			if got[factUser] != want[0] || got[factCommand] != want[1] {
				t.Errorf("process %d: %q, want %q", pid, got, want)
			}
		}
	}

	for function, want := range map[string][2]string{
		"OpenProcess":               {},
		"GetTokenInformation":       {"", command},
		"LookupAccountSidW":         {"", command},
		"NtQueryInformationProcess": {`NT AUTHORITY\system`, ""},
	} {
		t.Setenv("WINPERF_FAKE", function)
		if got := newReader()(4); got[factUser] != want[0] || got[factCommand] != want[1] {
			t.Errorf("%s fails: %q, want %q", function, got, want)
		}
	}
}

// TestThisProcess reads the user of the test itself from the system. Wine has no command lines.
func TestThisProcess(t *testing.T) {
	got := factReader(winperf.HostFiles{})(uint64(os.Getpid()))
	if !strings.Contains(got[factUser], `\`) {
		t.Errorf("%q", got)
	}
}
