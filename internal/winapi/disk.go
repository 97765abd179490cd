package winapi

import (
	"bytes"
	"fmt"
	"strings"
	"unsafe"

	"github.com/winperf/winperf"
)

// Requests about disks (winioctl.h). None needs the right to read the disk.
const (
	IOCTL_STORAGE_QUERY_PROPERTY     = 0x2d1400
	IOCTL_DISK_GET_DRIVE_GEOMETRY_EX = 0x700a0
	IOCTL_DISK_GET_DRIVE_LAYOUT_EX   = 0x70050
)

// STORAGE_PROPERTY_QUERY (winioctl.h) requests STORAGE_DEVICE_DESCRIPTOR with its zero value.
type STORAGE_PROPERTY_QUERY struct {
	PropertyId           uint32
	QueryType            uint32
	AdditionalParameters [1]byte
}

// STORAGE_DEVICE_DESCRIPTOR (winioctl.h) has the places of a device's texts, which are offsets, 0 for none.
type STORAGE_DEVICE_DESCRIPTOR struct {
	Version, Size                                          uint32
	DeviceType, DeviceTypeModifier                         uint8
	RemovableMedia, CommandQueueing                        uint8
	VendorIdOffset, ProductIdOffset, ProductRevisionOffset uint32
	SerialNumberOffset, BusType, RawPropertiesLength       uint32
	RawDeviceProperties                                    [1]byte
}

// DISK_GEOMETRY_EX (winioctl.h) begins with DISK_GEOMETRY.
type DISK_GEOMETRY_EX struct {
	Geometry [24]byte
	DiskSize int64
	Data     [1]byte
	_        [7]byte
}

// PARTITION_INFORMATION_EX (winioctl.h) is a partition; PartitionNumber is 0 for an unused entry.
type PARTITION_INFORMATION_EX struct {
	PartitionStyle  uint32
	_               uint32
	StartingOffset  int64
	PartitionLength int64
	PartitionNumber uint32
	_               [116]byte
}

// DRIVE_LAYOUT_INFORMATION_EX (winioctl.h) are the partitions of a disk. The array has PartitionCount entries.
type DRIVE_LAYOUT_INFORMATION_EX struct {
	PartitionStyle uint32
	PartitionCount uint32
	_              [40]byte
	PartitionEntry [1]PARTITION_INFORMATION_EX
}

// DiskModel returns the vendor and the product in STORAGE_DEVICE_DESCRIPTOR.
func (m Memory) DiskModel() (string, error) {
	d, err := at[STORAGE_DEVICE_DESCRIPTOR](m, m.base())
	if err != nil {
		return "", err
	}
	vendor, err := m.ansi(d.VendorIdOffset)
	if err != nil {
		return "", err
	}
	product, err := m.ansi(d.ProductIdOffset)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(vendor + " " + product), nil
}

// ansi returns a text by its offset, without spaces around it; only ASCII is valid in it.
func (m Memory) ansi(off uint32) (string, error) {
	if off == 0 {
		return "", nil
	}
	if int64(off) >= int64(m.Bytes()) {
		return "", fmt.Errorf("a text is outside its buffer of %d bytes: %w", m.Bytes(), winperf.ErrBadData)
	}
	text, _, found := bytes.Cut(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m))), m.Bytes())[off:], []byte{0})
	if !found {
		return "", fmt.Errorf("a text at byte %d has no end: %w", off, winperf.ErrBadData)
	}
	ascii := func(r rune) rune {
		if r < ' ' || r > '~' {
			return '_'
		}
		return r
	}
	return strings.TrimSpace(strings.Map(ascii, string(text))), nil
}

// DiskSize returns the size in DISK_GEOMETRY_EX, in bytes.
func (m Memory) DiskSize() (int64, error) {
	g, err := at[DISK_GEOMETRY_EX](m, m.base())
	if err != nil {
		return 0, err
	}
	return g.DiskSize, nil
}

// Partitions returns the number of partitions in DRIVE_LAYOUT_INFORMATION_EX.
func (m Memory) Partitions() (n int, err error) {
	layout, err := at[DRIVE_LAYOUT_INFORMATION_EX](m, m.base())
	if err != nil {
		return 0, err
	}
	first, size := unsafe.Offsetof(layout.PartitionEntry), unsafe.Sizeof(layout.PartitionEntry[0])
	if room := (uintptr(m.Bytes()) - first) / size; uintptr(layout.PartitionCount) > room {
		return 0, fmt.Errorf("%d partitions are claimed, room is for %d: %w", layout.PartitionCount, room,
			winperf.ErrBadData)
	}

	for i := range uintptr(layout.PartitionCount) {
		p, err := at[PARTITION_INFORMATION_EX](m, m.base()+first+i*size)
		if err != nil {
			return 0, err
		}
		if p.PartitionNumber != 0 {
			n++
		}
	}
	return n, nil
}
