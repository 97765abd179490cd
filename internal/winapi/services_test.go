package winapi

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
)

// TestServiceStates reads a list of services, and refuses names outside the memory and lists that are too long.
func TestServiceStates(t *testing.T) {
	m := make(Memory, 32)
	heap = m
	list := unsafe.Slice((*ENUM_SERVICE_STATUS_PROCESSW)(unsafe.Pointer(&m[0])), 2)
	list[0] = ENUM_SERVICE_STATUS_PROCESSW{LpServiceName: puts(m, 128, "Dhcp"),
		ServiceStatusProcess: SERVICE_STATUS_PROCESS{DwCurrentState: 4}}
	list[1] = ENUM_SERVICE_STATUS_PROCESSW{LpServiceName: puts(m, 160, "W32Time"),
		ServiceStatusProcess: SERVICE_STATUS_PROCESS{DwCurrentState: 1}}
	got, err := m.ServiceStates(2)
	if want := []ServiceState{{"Dhcp", 4}, {"W32Time", 1}}; !slices.Equal(got, want) || err != nil {
		t.Errorf("%v, error %v, want %v", got, err, want)
	}

	if _, err := m.ServiceStates(6); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("6 services: error %v", err)
	}
	list[1].LpServiceName = m.base() - 2
	if _, err := m.ServiceStates(2); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("a name outside: error %v", err)
	}
}
