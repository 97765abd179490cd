package winapi

import (
	"syscall"
	"unsafe"
)

// Accounts calls functions of kernel32.dll and advapi32.dll that find the users of processes.
type Accounts struct{ kernel, security *DLL }

// NewAccounts returns the calls of libraries: kernel32.dll and advapi32.dll, or a fake.
func NewAccounts(kernel, security *DLL) *Accounts { return &Accounts{kernel, security} }

// ProcessUser returns the user of a process.
//
// sys OpenProcess(access uint32, inherit bool, pid uint32) (process Handle, err error) =
// kernel32.OpenProcess
// sys OpenProcessToken(process Handle, access uint32, token *Handle) (err error) =
// advapi32.OpenProcessToken
// sys GetTokenInformation(token Handle, class uint32, info *byte, size uint32, returned
// *uint32) (err error) = advapi32.GetTokenInformation
func (a *Accounts) ProcessUser(pid uint32) (SID, error) {
	process, errno, err := call(a.kernel, "OpenProcess", PROCESS_QUERY_LIMITED_INFORMATION, 0, uintptr(pid))
	switch {
	case err != nil:
		return "", err
	case process == 0:
		return "", errno
	}
	defer func() { _, _, _ = call(a.kernel, "CloseHandle", process) }()

	var token uintptr
	ok, errno, err := call(a.security, "OpenProcessToken", process, TOKEN_QUERY, uintptr(unsafe.Pointer(&token)))
	switch {
	case err != nil:
		return "", err
	case ok == 0:
		return "", errno
	}
	defer func() { _, _, _ = call(a.kernel, "CloseHandle", token) }()

	const size = 256 // the largest SID has 68 bytes
	m := make(Memory, size/8)
	var returned uint32
	ok, errno, err = call(a.security, "GetTokenInformation", token, TokenUser, uintptr(pointer(m)), size,
		uintptr(unsafe.Pointer(&returned)))
	switch {
	case err != nil:
		return "", err
	case ok == 0:
		return "", errno
	}
	return m.User()
}

// AccountName returns the domain and name of an account of this machine or of a domain. It may take many
// seconds if no domain controller answers.
//
// sys LookupAccountSid(machine *uint16, sid *byte, name *uint16, nameLen *uint32, domain
// *uint16, domainLen *uint32, use *uint32) (err error) = advapi32.LookupAccountSidW
func (a *Accounts) AccountName(sid SID) (domain, name string, err error) {
	var names, domains [512]uint16
	n, d := uint32(len(names)), uint32(len(domains))
	var use uint32
	ok, errno, err := call(a.security, "LookupAccountSidW", 0, uintptr(pointer([]byte(sid))),
		uintptr(unsafe.Pointer(&names)), uintptr(unsafe.Pointer(&n)),
		uintptr(unsafe.Pointer(&domains)), uintptr(unsafe.Pointer(&d)), uintptr(unsafe.Pointer(&use)))
	switch {
	case err != nil:
		return "", "", err
	case ok == 0:
		return "", "", errno
	}
	return syscall.UTF16ToString(domains[:]), syscall.UTF16ToString(names[:]), nil
}
