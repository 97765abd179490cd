package winapi

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// lockOffset is the high half of 2^62, the byte that files are locked at: far
// behind their ends, as a lock keeps others from reading what it covers.
const lockOffset = 1 << 30

// MakeDirectory makes a directory with the security descriptor, in the words of
// "Security Descriptor Definition Language" (Microsoft Learn). One that is there
// stays as it is.
func MakeDirectory(path, sddl string) error {
	attributes, err := securityAttributes(sddl)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	if err = windows.CreateDirectory(name, attributes); errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		return nil
	}
	return err
}

// CreateShared creates a file that is not there, with the security descriptor,
// and lets others read, write and remove it meanwhile.
func CreateShared(path, sddl string) (*os.File, error) {
	attributes, err := securityAttributes(sddl)
	if err != nil {
		return nil, err
	}
	return openShared(path, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.CREATE_NEW, attributes)
}

// OpenShared opens a file for reading and lets others read, write and remove it
// meanwhile.
func OpenShared(path string) (*os.File, error) {
	return openShared(path, windows.GENERIC_READ, windows.OPEN_EXISTING, nil)
}

func openShared(path string, access, disposition uint32, attributes *windows.SecurityAttributes) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_ATTRIBUTE_NORMAL | windows.FILE_FLAG_OPEN_REPARSE_POINT // no link leads elsewhere
	h, err := windows.CreateFile(name, access, share, attributes, disposition, flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

func securityAttributes(sddl string) (*windows.SecurityAttributes, error) {
	descriptor, err := windows.SecurityDescriptorFromString(sddl)
	if err != nil {
		return nil, err
	}
	a := &windows.SecurityAttributes{SecurityDescriptor: descriptor}
	a.Length = uint32(unsafe.Sizeof(*a))
	return a, nil
}

// TryLock locks a file, exclusively or shared, at byte 2^62, unless another one
// has it locked so that this cannot be. The lock ends with the file.
func TryLock(f *os.File, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := windows.Overlapped{OffsetHigh: lockOffset}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Unlock takes a lock of TryLock back.
func Unlock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: lockOffset}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}

// MapFile maps n bytes of a file for reading and writing; offset is a multiple of
// 64 KiB, and the file at least that long.
func MapFile(f *os.File, offset int64, n int) ([]byte, error) {
	end := uint64(offset) + uint64(n)
	section, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READWRITE, uint32(end>>32), uint32(end), nil)
	if err != nil {
		return nil, err
	}
	view, err := windows.MapViewOfFile(section, windows.FILE_MAP_WRITE, uint32(uint64(offset)>>32), uint32(offset), uintptr(n))
	if closed := windows.CloseHandle(section); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&view)), n), nil
}

// UnmapFile ends what MapFile returned.
func UnmapFile(p []byte) error {
	return windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(p))))
}
