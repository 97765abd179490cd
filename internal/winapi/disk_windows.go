package winapi

import "unsafe"

// largestDisk is the largest answer about a disk. A GUID partition table has at most 128 partitions by default.
const largestDisk = 1 << 20

// HasDevice reports whether a device such as \\.\PhysicalDrive0 exists.
func (k *Kernel) HasDevice(device string) bool {
	handle, err := k.open(device)
	if err != nil {
		return false
	}
	k.close(handle)
	return true
}

// DiskModel returns the vendor and the product of a disk.
func (k *Kernel) DiskModel(device string) (string, error) {
	query := make([]byte, unsafe.Sizeof(STORAGE_PROPERTY_QUERY{}))
	m, err := k.control(device, IOCTL_STORAGE_QUERY_PROPERTY, query, 4<<10, largestDisk)
	if err != nil {
		return "", err
	}
	return m.DiskModel()
}

// DiskSize returns the size of a disk in bytes.
func (k *Kernel) DiskSize(device string) (int64, error) {
	m, err := k.control(device, IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, nil, 1<<10, largestDisk)
	if err != nil {
		return 0, err
	}
	return m.DiskSize()
}

// Partitions returns the number of partitions of a disk.
func (k *Kernel) Partitions(device string) (int, error) {
	m, err := k.control(device, IOCTL_DISK_GET_DRIVE_LAYOUT_EX, nil, 4<<10, largestDisk)
	if err != nil {
		return 0, err
	}
	return m.Partitions()
}
