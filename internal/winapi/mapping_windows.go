package winapi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// lockOffset is the high half of 2^62, the offset of locks: far behind the end of files,
// because a lock prevents others from reading the locked bytes.
const lockOffset = 1 << 30

// CreateShared creates a new file with a security descriptor, which others may read, write
// and remove while it is open.
func CreateShared(path, sddl string) (*os.File, error) {
	attributes, err := securityAttributes(sddl)
	if err != nil {
		return nil, err
	}

	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}

	const access = windows.GENERIC_READ | windows.GENERIC_WRITE
	const flags = windows.FILE_ATTRIBUTE_NORMAL | careful
	h, err := windows.CreateFile(name, access, shareAll, attributes, windows.CREATE_NEW, flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

const (
	shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	// careful are flags that do not follow links and let a process at the other end
	// identify the caller but not impersonate it.
	careful = windows.FILE_FLAG_OPEN_REPARSE_POINT | windows.SECURITY_SQOS_PRESENT |
		windows.SECURITY_IDENTIFICATION
)

// OpenShared opens a file of another account for reading; others may read, write and remove
// it meanwhile. It follows no link, prevents impersonation, and does not wait for the
// holder of an oplock: the error then wraps ERROR_BUSY.
func OpenShared(path string) (*os.File, error) {
	f, err := openShared(path, windows.NtCreateFile)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

type ntCreateFile func(handle *windows.Handle, access uint32, object *windows.OBJECT_ATTRIBUTES,
	status *windows.IO_STATUS_BLOCK, size *int64, attributes, share, disposition, options uint32,
	extended uintptr, extendedLength uint32) error

func openShared(path string, create ntCreateFile) (*os.File, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}

	name, err := windows.NewNTUnicodeString(ntPath(full))
	if err != nil {
		return nil, err
	}

	quality := windows.SECURITY_QUALITY_OF_SERVICE{ImpersonationLevel: windows.SecurityIdentification,
		EffectiveOnly: 1}
	quality.Length = uint32(unsafe.Sizeof(quality))
	object := windows.OBJECT_ATTRIBUTES{ObjectName: name, Attributes: windows.OBJ_CASE_INSENSITIVE,
		SecurityQoS: &quality}
	object.Length = uint32(unsafe.Sizeof(object))

	// CreateFile has no FILE_COMPLETE_IF_OPLOCKED. Without it, the holder of an oplock
	// determines how long this takes.
	const options = windows.FILE_NON_DIRECTORY_FILE | windows.FILE_SYNCHRONOUS_IO_NONALERT |
		windows.FILE_OPEN_REPARSE_POINT | windows.FILE_COMPLETE_IF_OPLOCKED
	var h windows.Handle
	var status windows.IO_STATUS_BLOCK
	err = create(&h, windows.FILE_GENERIC_READ, &object, &status, nil, 0, shareAll, windows.FILE_OPEN,
		options, 0, 0)
	if errors.Is(err, windows.STATUS_OPLOCK_BREAK_IN_PROGRESS) { // a success: the handle is open
		return nil, errors.Join(ERROR_BUSY, windows.CloseHandle(h))
	}
	if err != nil {
		return nil, asErrno(err)
	}

	// Pipes and devices may never answer.
	if kind, err := windows.GetFileType(h); err != nil || kind != windows.FILE_TYPE_DISK {
		return nil, errors.Join(ERROR_INVALID_HANDLE, err, windows.CloseHandle(h))
	}
	return os.NewFile(uintptr(h), path), nil
}

// ntPath returns a full path in the kernel's form.
func ntPath(path string) string {
	if rest, ok := strings.CutPrefix(path, `\\?\`); ok {
		return `\??\` + rest
	}
	if rest, ok := strings.CutPrefix(path, `\\.\`); ok {
		return `\??\` + rest
	}
	if rest, ok := strings.CutPrefix(path, `\\`); ok {
		return `\??\UNC\` + rest
	}
	return `\??\` + path
}

// TryLock locks a file at byte 2^62, exclusively or shared, and reports whether it could.
// The lock ends with the file.
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

// Unlock ends a lock of TryLock.
func Unlock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: lockOffset}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}

// MapFile maps n bytes of a file for reading and writing. offset must be a multiple of 64
// KiB, and the file long enough.
func MapFile(f *os.File, offset int64, n int) ([]byte, error) {
	end := uint64(offset) + uint64(n)
	section, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READWRITE,
		uint32(end>>32), uint32(end), nil)
	if err != nil {
		return nil, err
	}

	view, err := windows.MapViewOfFile(section, windows.FILE_MAP_WRITE, uint32(uint64(offset)>>32),
		uint32(offset), uintptr(n))
	if closed := windows.CloseHandle(section); err == nil {
		err = closed
	}

	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&view)), n), nil
}

// UnmapFile ends a mapping of MapFile.
func UnmapFile(p []byte) error {
	return windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(p))))
}
