package winapi

import (
	"fmt"
	"unsafe"

	"github.com/winperf/winperf"
)

// The types of drives (fileapi.h).
const (
	DRIVE_UNKNOWN     = 0
	DRIVE_NO_ROOT_DIR = 1
	DRIVE_REMOVABLE   = 2
	DRIVE_FIXED       = 3
	DRIVE_REMOTE      = 4
	DRIVE_CDROM       = 5
	DRIVE_RAMDISK     = 6
)

// FILE_READ_ONLY_VOLUME is a flag of volumes that cannot be written (winnt.h).
const FILE_READ_ONLY_VOLUME = 0x80000

// IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS requests VOLUME_DISK_EXTENTS (winioctl.h).
const IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS = 0x560000

// DISK_EXTENT (winioctl.h) is a part of a disk that belongs to a volume.
type DISK_EXTENT struct {
	DiskNumber     uint32
	_              uint32
	StartingOffset int64
	ExtentLength   int64
}

// VOLUME_DISK_EXTENTS (winioctl.h) are the parts of a volume. The array has NumberOfDiskExtents entries.
type VOLUME_DISK_EXTENTS struct {
	NumberOfDiskExtents uint32
	_                   uint32
	Extents             [1]DISK_EXTENT
}

// VolumeInfo are properties of a volume.
type VolumeInfo struct {
	Name, FileSystem string
	Serial           uint32
	Flags            uint32 // such as FILE_READ_ONLY_VOLUME
}

// DiskNumbers returns the numbers of the disks in VOLUME_DISK_EXTENTS, in the order of the extents.
func (m Memory) DiskNumbers() (all []uint32, err error) {
	list, err := at[VOLUME_DISK_EXTENTS](m, m.base())
	if err != nil {
		return nil, err
	}
	first, size := unsafe.Offsetof(list.Extents), unsafe.Sizeof(list.Extents[0])
	room := (uintptr(m.Bytes()) - first) / size
	if n := list.NumberOfDiskExtents; uintptr(n) > room {
		return nil, fmt.Errorf("%d extents of a volume are claimed, room is for %d: %w", n, room,
			winperf.ErrBadData)
	}

	for i := range uintptr(list.NumberOfDiskExtents) {
		extent, err := at[DISK_EXTENT](m, m.base()+first+i*size)
		if err != nil {
			return nil, err
		}
		all = append(all, extent.DiskNumber)
	}
	return all, nil
}
