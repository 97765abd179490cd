package winapi

import (
	"errors"
	"slices"
	"testing"

	"github.com/winperf/winperf"
)

// TestDiskNumbers reads extents on two disks, and refuses lists that are too long.
func TestDiskNumbers(t *testing.T) {
	m := make(Memory, 1+2*3)
	heap = m
	put(m, 0, 2)
	put(m, 8, 1)
	put(m, 8+24, 0, 1)
	if got, err := m.DiskNumbers(); !slices.Equal(got, []uint32{1, 256}) || err != nil {
		t.Errorf("%v, error %v", got, err)
	}

	put(m, 0, 3)
	for _, m := range []Memory{m, m[:3], nil} {
		if got, err := m.DiskNumbers(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%d bytes: %v, error %v", m.Bytes(), got, err)
		}
	}
}
