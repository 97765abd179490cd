package winapi_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

// TestEvents reads a fake log, which counts open handles.
func TestEvents(t *testing.T) {
	dll := winapi.NewDLL(wintest.DLL(t, "events"))
	read := func(most int) ([]winapi.Event, error) {
		const perflib = "Microsoft-Windows-Perflib"
		return winapi.NewEvents(dll).Read("Application", "*[System[Provider[@Name='"+perflib+"']]]", perflib, most)
	}

	for _, c := range []struct {
		mode   string
		most   int
		events int
		err    error
	}{
		{"", 10, 2, nil}, {"", 1, 1, nil}, {"endless", 100, 100, nil},
		{"absent", 10, 0, winapi.Errno(15007)}, {"lost", 10, 1, winapi.ERROR_INVALID_HANDLE},
	} {
		t.Setenv("WINPERF_FAKE", c.mode)
		events, err := read(c.most)
		if len(events) != c.events || !errors.Is(err, c.err) {
			t.Errorf("%q: %d events, error %v", c.mode, len(events), err)
		}
		for i, e := range events {
			message := i == 0
			if !strings.HasPrefix(e.XML, "<Event ") || !strings.HasSuffix(e.XML, "</Event>") ||
				(e.Message == "The Open procedure failed.\r\n\r\nSee the data.") != message {
				t.Errorf("%q: event %d: %+v", c.mode, i, e)
			}
		}
	}

	addr, err := dll.Proc("FakeHandles").Addr()
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := syscall.SyscallN(addr); n != 0 {
		t.Errorf("%d handles are open at the end", n)
	}
}
