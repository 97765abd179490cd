package winapi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// MakeDirectory makes a directory with a security descriptor ("Security Descriptor
// Definition Language", Microsoft Learn). An existing directory is not changed.
func MakeDirectory(path, sddl string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	attributes, err := securityAttributes(sddl)
	if err != nil {
		return err
	}

	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}

	err = windows.CreateDirectory(name, attributes)
	if err == nil || errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		return nil
	}
	return &os.PathError{Op: "mkdir", Path: path, Err: asErrno(err)}
}

// CheckDirectory returns an error that wraps fs.ErrPermission if a directory is not
// trustworthy: it is a reparse point, or its owner is neither SYSTEM nor the administrators
// nor the account of this process. The owner can replace files in a directory whatever its
// rights are.
func CheckDirectory(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}

	const access = windows.FILE_READ_ATTRIBUTES | windows.READ_CONTROL
	const flags = windows.FILE_FLAG_BACKUP_SEMANTICS | careful // the first for directories
	h, err := windows.CreateFile(name, access, shareAll, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: asErrno(err)}
	}
	defer func() { _ = windows.CloseHandle(h) }() // opened for reading

	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: asErrno(err)}
	}

	descriptor, err := windows.GetSecurityInfo(h, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return &os.PathError{Op: "owner", Path: path, Err: asErrno(err)}
	}
	if msg := directoryFault(info.FileAttributes, descriptor); msg != "" {
		return fmt.Errorf("%s %s: %w", path, msg, fs.ErrPermission)
	}
	return nil
}

// directoryFault returns why a directory with these attributes and this owner is not
// trustworthy, or "".
func directoryFault(attributes uint32, descriptor *windows.SECURITY_DESCRIPTOR) string {
	switch {
	case attributes&windows.FILE_ATTRIBUTE_DIRECTORY == 0:
		return "is not a directory"
	case attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0:
		return "is a link to elsewhere"
	}

	owner, _, err := descriptor.Owner()
	if err != nil || owner == nil {
		return "has no owner"
	}

	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	own := err == nil && owner.Equals(user.User.Sid)
	if !own && !owner.IsWellKnown(windows.WinLocalSystemSid) &&
		!owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		return fmt.Sprintf("belongs to %s, neither SYSTEM nor the administrators", owner)
	}
	return ""
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

// SystemDirectory returns the directory of Windows' programs from the system, because the
// environment is under the control of its user.
//
// sys	GetSystemDirectory(path *uint16, size uint32) (n uint32, err error) = kernel32.GetSystemDirectoryW
func SystemDirectory() (string, error) { return windows.GetSystemDirectory() }

// Elevated reports whether this process has the rights of an administrator.
//
// sys	GetTokenInformation(token Token, class uint32, info *byte, size uint32, returned *uint32)
// (err error) = advapi32.GetTokenInformation
func Elevated() bool { return windows.GetCurrentProcessToken().IsElevated() }
