package winapi

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// MakePrivateDirectory makes a directory, and its parents, to which only this account,
// SYSTEM and the administrators have rights. An existing directory is not changed.
func MakePrivateDirectory(path string) error {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return &os.PathError{Op: "mkdir", Path: path, Err: asErrno(err)}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	const rights = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;%s)"
	return MakeDirectory(path, fmt.Sprintf(rights, user.User.Sid))
}

// Foreign returns why accounts other than this one, SYSTEM and the administrators control
// an open directory, or "": they own it, or can write to it or to files created in it.
func Foreign(dir *os.File) string {
	const requested = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION
	descriptor, err := windows.GetSecurityInfo(windows.Handle(dir.Fd()), windows.SE_FILE_OBJECT, requested)
	if err != nil {
		return fmt.Sprintf("has unknown rights: %v", asErrno(err))
	}
	if msg := directoryFault(windows.FILE_ATTRIBUTE_DIRECTORY, descriptor); msg != "" {
		return msg
	}
	return foreignWriter(descriptor)
}

func foreignWriter(descriptor *windows.SECURITY_DESCRIPTOR) string {
	list, _, err := descriptor.DACL()
	if err != nil || list == nil {
		return "can be written by every account"
	}

	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return fmt.Sprintf("has unknown rights: %v", asErrno(err))
		}
		if entry.Header.AceType == windows.ACCESS_DENIED_ACE_TYPE || entry.Mask&writeRights == 0 {
			continue
		}
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE {
			return fmt.Sprintf("has rights of an unknown kind (%d)", entry.Header.AceType)
		}
		if sid := (*windows.SID)(unsafe.Pointer(&entry.SidStart)); !trusted(sid) {
			return fmt.Sprintf("can be written by %s", sid)
		}
	}
	return ""
}

// writeRights let an account change a directory, its content or its rights. The lowest two
// bits add files and directories, and write and append to files.
const writeRights = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | fileDeleteChild | windows.DELETE |
	windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_WRITE | windows.GENERIC_ALL

const fileDeleteChild = 0x40 // winnt.h

// trusted reports whether an account may write: this one, SYSTEM, the administrators, and
// the owner, which is one of these.
func trusted(sid *windows.SID) bool {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err == nil && sid.Equals(user.User.Sid) {
		return true
	}
	return sid.IsWellKnown(windows.WinLocalSystemSid) || sid.IsWellKnown(windows.WinBuiltinAdministratorsSid) ||
		sid.IsWellKnown(windows.WinCreatorOwnerSid) || sid.String() == ownerRights
}

const ownerRights = "S-1-3-4" // OWNER RIGHTS; Wine 8.0 has no well-known number for it
