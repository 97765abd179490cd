package winapi

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
)

// TestDiskModel reads texts by their offsets, and refuses texts outside the memory or without an end.
func TestDiskModel(t *testing.T) {
	m := make(Memory, 12)
	heap = m
	d := (*STORAGE_DEVICE_DESCRIPTOR)(unsafe.Pointer(&m[0]))
	put(m, 40, []byte("ACME    \x00 Disk \xe9\t1 \x00")...)
	for _, tt := range []struct {
		vendor, product uint32
		want            string
	}{{40, 49, "ACME Disk __1"}, {0, 49, "Disk __1"}, {40, 0, "ACME"}, {0, 0, ""}} {
		d.VendorIdOffset, d.ProductIdOffset = tt.vendor, tt.product
		if got, err := m.DiskModel(); got != tt.want || err != nil {
			t.Errorf("%q, error %v, want %q", got, err, tt.want)
		}
	}

	put(m, 95, 'x')
	for _, bad := range []uint32{95, 96, 1<<32 - 1} {
		d.VendorIdOffset = bad
		if got, err := m.DiskModel(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("a text at %d: %q, error %v", bad, got, err)
		}
		d.VendorIdOffset, d.ProductIdOffset = 0, bad
		if got, err := m.DiskModel(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("a product at %d: %q, error %v", bad, got, err)
		}
	}
	if _, err := (Memory)(nil).DiskModel(); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("no memory: error %v", err)
	}
}

// TestDiskSize reads the size in a geometry.
func TestDiskSize(t *testing.T) {
	m := make(Memory, 5)
	m[3] = 1 << 41
	if got, err := m.DiskSize(); got != 1<<41 || err != nil {
		t.Errorf("%d, error %v", got, err)
	}
	if _, err := m[:4].DiskSize(); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("a short memory: error %v", err)
	}
}

// TestPartitions counts entries in use, and refuses lists that are too long.
func TestPartitions(t *testing.T) {
	m := make(Memory, 6+3*18)
	m[6+3], m[6+2*18+3] = 1, 2 // numbers of the first and third entry
	m[0] = 3 << 32
	if got, err := m.Partitions(); got != 2 || err != nil {
		t.Errorf("%d, error %v", got, err)
	}
	m[0] = 4 << 32
	for _, m := range []Memory{m, m[:10], nil} {
		if got, err := m.Partitions(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%d bytes: %d, error %v", m.Bytes(), got, err)
		}
	}
}
