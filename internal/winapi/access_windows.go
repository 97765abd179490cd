package winapi

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Access is an entry of an access control list that allows or denies rights.
type Access struct {
	SID  string // such as S-1-5-32-558
	Deny bool
	Mask uint32 // rights (winnt.h, ACCESS_MASK)
}

// KeyAccess returns the access control list of an open registry key, without entries that only concern the
// keys below.
func KeyAccess(key HKEY) ([]Access, error) {
	descriptor, err := windows.GetSecurityInfo(windows.Handle(key), windows.SE_REGISTRY_KEY,
		windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, asErrno(err)
	}
	return accessOf(descriptor)
}

func accessOf(descriptor *windows.SECURITY_DESCRIPTOR) ([]Access, error) {
	// Without list everyone has all rights.
	acl, _, err := descriptor.DACL()
	switch {
	case errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND), err == nil && acl == nil:
		return []Access{{SID: everyone, Mask: windows.GENERIC_ALL}}, nil
	case err != nil:
		return nil, asErrno(err)
	}

	list := []Access{}
	for i := range uint32(acl.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(acl, i, &entry); err != nil {
			return nil, asErrno(err)
		}
		kind := entry.Header.AceType
		if entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 ||
			kind != windows.ACCESS_ALLOWED_ACE_TYPE && kind != windows.ACCESS_DENIED_ACE_TYPE {
			continue
		}
		list = append(list, Access{
			SID:  (*windows.SID)(unsafe.Pointer(&entry.SidStart)).String(),
			Deny: kind == windows.ACCESS_DENIED_ACE_TYPE, Mask: uint32(entry.Mask),
		})
	}
	return list, nil
}

const everyone = "S-1-1-0"
