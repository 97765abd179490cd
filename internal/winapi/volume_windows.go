package winapi

import (
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// LogicalDrives returns the letters of drives as bits: bit 0 is A.
//
// sys	GetLogicalDrives() (drives uint32, err error) = kernel32.GetLogicalDrives
func (k *Kernel) LogicalDrives() (uint32, error) {
	drives, errno, err := call(k.dll, "GetLogicalDrives")
	if err == nil && uint32(drives) == 0 {
		err = errno
	}
	return uint32(drives), err
}

// DriveType returns the type of the drive with a root directory, such as DRIVE_FIXED.
//
// sys	GetDriveType(root *uint16) (driveType uint32) = kernel32.GetDriveTypeW
func (k *Kernel) DriveType(root string) (uint32, error) {
	name, err := text16(root)
	if err != nil {
		return DRIVE_UNKNOWN, err
	}
	kind, _, err := call(k.dll, "GetDriveTypeW", uintptr(unsafe.Pointer(name)))
	return uint32(kind), err
}

// VolumeInformation returns properties of the volume with a root directory.
//
// sys GetVolumeInformation(root *uint16, name *uint16, nameLen uint32, serial *uint32,
// componentLen *uint32, flags *uint32, system *uint16, systemLen uint32) (err error) =
// kernel32.GetVolumeInformationW
func (k *Kernel) VolumeInformation(root string) (info VolumeInfo, err error) {
	path, err := text16(root)
	if err != nil {
		return VolumeInfo{}, err
	}

	var name, system [windows.MAX_PATH + 1]uint16
	ok, errno, err := call(k.dll, "GetVolumeInformationW", uintptr(unsafe.Pointer(path)),
		uintptr(unsafe.Pointer(&name)), uintptr(len(name)), uintptr(unsafe.Pointer(&info.Serial)), 0,
		uintptr(unsafe.Pointer(&info.Flags)), uintptr(unsafe.Pointer(&system)), uintptr(len(system)))
	switch {
	case err != nil:
		return VolumeInfo{}, err
	case ok == 0:
		return VolumeInfo{}, errno
	}
	info.Name, info.FileSystem = syscall.UTF16ToString(name[:]), syscall.UTF16ToString(system[:])
	return info, nil
}

// Volumes returns the paths of the machine's volumes, such as \\?\Volume{…}\, at most 1000.
//
// sys	FindFirstVolume(name *uint16, nameLen uint32) (search Handle, err error) = kernel32.FindFirstVolumeW
// sys	FindNextVolume(search Handle, name *uint16, nameLen uint32) (err error) = kernel32.FindNextVolumeW
// sys	FindVolumeClose(search Handle) (err error) = kernel32.FindVolumeClose
func (k *Kernel) Volumes() (paths []string, err error) {
	var name [windows.MAX_PATH]uint16
	search, errno, err := call(k.dll, "FindFirstVolumeW", uintptr(unsafe.Pointer(&name)), uintptr(len(name)))
	switch {
	case err != nil:
		return nil, err
	case windows.Handle(search) == windows.InvalidHandle:
		return nil, errno
	}
	defer func() { _, _, _ = call(k.dll, "FindVolumeClose", search) }()

	for len(paths) < maxListed {
		paths = append(paths, syscall.UTF16ToString(name[:]))
		ok, errno, err := call(k.dll, "FindNextVolumeW", search, uintptr(unsafe.Pointer(&name)), uintptr(len(name)))
		switch {
		case err != nil:
			return nil, err
		case ok == 0 && errno == ERROR_NO_MORE_FILES:
			return paths, nil
		case ok == 0:
			return nil, errno
		}
	}
	return paths, nil
}

// VolumePaths returns the drives and directories at which a volume is mounted.
//
// sys GetVolumePathNamesForVolumeName(volume *uint16, paths *uint16, pathsLen uint32,
// needed *uint32) (err error) = kernel32.GetVolumePathNamesForVolumeNameW
func (k *Kernel) VolumePaths(volume string) (paths []string, err error) {
	name, err := text16(volume)
	if err != nil {
		return nil, err
	}

	var list [4096]uint16
	var needed uint32
	ok, errno, err := call(k.dll, "GetVolumePathNamesForVolumeNameW", uintptr(unsafe.Pointer(name)),
		uintptr(unsafe.Pointer(&list)), uintptr(len(list)), uintptr(unsafe.Pointer(&needed)))
	switch {
	case err != nil:
		return nil, err
	case ok == 0:
		return nil, errno
	}

	rest := list[:]
	for {
		end := slices.Index(rest, 0)
		if end <= 0 {
			return paths, nil
		}
		paths = append(paths, syscall.UTF16ToString(rest[:end]))
		rest = rest[end+1:]
	}
}

// DosDevice returns the device of a name such as C: or Volume{…}.
//
// sys QueryDosDevice(name *uint16, device *uint16, deviceLen uint32) (n uint32, err
// error) = kernel32.QueryDosDeviceW
func (k *Kernel) DosDevice(name string) (string, error) {
	text, err := text16(name)
	if err != nil {
		return "", err
	}

	var device [1024]uint16
	n, errno, err := call(k.dll, "QueryDosDeviceW", uintptr(unsafe.Pointer(text)),
		uintptr(unsafe.Pointer(&device)), uintptr(len(device)))
	switch {
	case err != nil:
		return "", err
	case n == 0:
		return "", errno
	}
	return syscall.UTF16ToString(device[:]), nil
}

// VolumeDisks returns the numbers of the disks of a volume by its device, such as \\.\C: or \\?\Volume{…}.
func (k *Kernel) VolumeDisks(device string) ([]uint32, error) {
	const start, largest = 4 << 10, 64 << 10
	m, err := k.control(device, IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS, nil, start, largest)
	if err != nil {
		return nil, err
	}
	return m.DiskNumbers()
}

// open opens a device without the right to read it.
//
// sys CreateFile(name *uint16, access uint32, share uint32, security *byte, creation
// uint32, attributes uint32, template Handle) (handle Handle, err error) = kernel32.CreateFileW
func (k *Kernel) open(device string) (handle uintptr, err error) {
	name, err := text16(device)
	if err != nil {
		return 0, err
	}
	handle, errno, err := call(k.dll, "CreateFileW", uintptr(unsafe.Pointer(name)), 0,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, 0, windows.OPEN_EXISTING, 0, 0)
	if err == nil && windows.Handle(handle) == windows.InvalidHandle {
		err = errno
	}
	return handle, err
}

// close closes a handle.
//
// sys	CloseHandle(handle Handle) (err error) = kernel32.CloseHandle
func (k *Kernel) close(handle uintptr) { _, _, _ = call(k.dll, "CloseHandle", handle) }

// control opens a device and returns the answer to a request.
//
// sys DeviceIoControl(device Handle, code uint32, in *byte, inSize uint32, out *byte, outSize
// uint32, returned *uint32, overlapped *byte) (err error) = kernel32.DeviceIoControl
func (k *Kernel) control(device string, code uint32, in []byte, start, largest int) (Memory, error) {
	handle, err := k.open(device)
	if err != nil {
		return nil, err
	}
	defer k.close(handle)

	return growing(start, largest, ERROR_MORE_DATA, func(m Memory, size *uint32) error {
		ok, errno, err := call(k.dll, "DeviceIoControl", handle, uintptr(code),
			uintptr(pointer(in)), uintptr(len(in)), uintptr(pointer(m)), uintptr(*size),
			uintptr(unsafe.Pointer(size)), 0)
		switch {
		case err != nil:
			return err
		case ok == 0 && errno == ERROR_INSUFFICIENT_BUFFER:
			return ERROR_MORE_DATA
		case ok == 0:
			return errno
		}
		return nil
	})
}
