package doctor

import (
	"errors"
	"testing"

	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wintest"
)

// TestEvents reads a fake event log.
func TestEvents(t *testing.T) {
	api := winapi.NewEvents(winapi.NewDLL(wintest.DLL(t, "events")))
	t.Setenv("WINPERF_FAKE", "")
	events, err := readEvents(api)
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, error %v", len(events), err)
	}
	const want = "event 1008 of 2026-11-27T10:20:30.4567890Z: The Open procedure failed. See the data."
	if got := events[0].String(); got != want || events[1].Message != "" || events[1].Values[0] != "WinperfBad" {
		t.Errorf("%s\n%+v", got, events)
	}

	t.Setenv("WINPERF_FAKE", "endless")
	if events, err := readEvents(api); len(events) != maxEvents || err != nil {
		t.Errorf("%d events, error %v", len(events), err)
	}
	t.Setenv("WINPERF_FAKE", "absent")
	if events, err := readEvents(api); len(events) != 0 || !errors.Is(err, winapi.Errno(15007)) {
		t.Errorf("%d events, error %v", len(events), err)
	}
}
