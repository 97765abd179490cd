package winapi

import (
	"syscall"
	"unsafe"
)

// Registry are the registry calls of advapi32.dll.
type Registry struct{ dll *DLL }

// NewRegistry returns the calls of a library: advapi32.dll or a fake.
func NewRegistry(dll *DLL) *Registry { return &Registry{dll} }

// RegValue is the type and size of a value, set by [Registry.QueryValue]. It is memory of
// the caller, so that a call allocates nothing.
type RegValue struct {
	Type uint32 // such as REG_BINARY
	Size uint32 // in bytes: of the buffer before the call, of the value after it
}

// QueryValue reads a value of a key into buf. name ends with a NUL. After ERROR_MORE_DATA
// the performance keys leave any value in value.Size.
//
// sys RegQueryValueEx(key HKEY, name *uint16, reserved *uint32, typ *uint32, data *byte,
// size *uint32) (status Errno) = advapi32.RegQueryValueExW
func (r *Registry) QueryValue(key HKEY, name []uint16, buf []byte, value *RegValue) error {
	addr, err := r.dll.Proc("RegQueryValueExW").Addr()
	if err != nil {
		return err
	}
	value.Type = REG_NONE
	value.Size = uint32(len(buf))
	status, _, _ := syscall.SyscallN(addr, uintptr(key), uintptr(unsafe.Pointer(unsafe.SliceData(name))), 0,
		uintptr(unsafe.Pointer(&value.Type)), uintptr(unsafe.Pointer(unsafe.SliceData(buf))),
		uintptr(unsafe.Pointer(&value.Size)))
	return Errno(status).Err()
}

// CloseKey closes a key. For HKEY_PERFORMANCE_DATA the system closes and unloads the
// providers; the next query loads them again.
//
// sys	RegCloseKey(key HKEY) (status Errno) = advapi32.RegCloseKey
func (r *Registry) CloseKey(key HKEY) error {
	return callStatus(r.dll, "RegCloseKey", uintptr(key))
}

// OpenKey opens a subkey for reading.
//
// sys RegOpenKeyEx(key HKEY, subkey *uint16, options uint32, desired uint32, result
// *HKEY) (status Errno) = advapi32.RegOpenKeyExW
func (r *Registry) OpenKey(key HKEY, subkey string) (result HKEY, err error) {
	name, err := text16(subkey)
	if err != nil {
		return 0, err
	}
	err = callStatus(r.dll, "RegOpenKeyExW", uintptr(key), uintptr(unsafe.Pointer(name)), 0, KEY_READ,
		uintptr(unsafe.Pointer(&result)))
	return result, err
}

// EnumKey returns the name of the i-th subkey; ERROR_NO_MORE_ITEMS follows the last one.
//
// sys RegEnumKeyEx(key HKEY, index uint32, name *uint16, nameLen *uint32, reserved
// *uint32, class *uint16, classLen *uint32, lastWrite *FILETIME) (status Errno) =
// advapi32.RegEnumKeyExW
func (r *Registry) EnumKey(key HKEY, i uint32) (string, error) {
	var name [MaxKeyName + 1]uint16
	n := uint32(len(name))
	err := callStatus(r.dll, "RegEnumKeyExW", uintptr(key), uintptr(i), uintptr(unsafe.Pointer(&name)),
		uintptr(unsafe.Pointer(&n)), 0, 0, 0, 0)
	if err != nil {
		return "", err
	}
	return syscall.UTF16ToString(name[:min(int(n), len(name))]), nil
}

// Connect opens a predefined key of another machine through its Remote Registry service. It
// may take many seconds if the machine is missing.
//
// sys RegConnectRegistry(machine *uint16, key HKEY, result *HKEY) (status Errno) =
// advapi32.RegConnectRegistryW
func (r *Registry) Connect(machine string, key HKEY) (result HKEY, err error) {
	name, err := text16(`\\` + machine)
	if err != nil {
		return 0, err
	}
	err = callStatus(r.dll, "RegConnectRegistryW", uintptr(unsafe.Pointer(name)), uintptr(key),
		uintptr(unsafe.Pointer(&result)))
	return result, err
}
