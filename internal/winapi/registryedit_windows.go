package winapi

import (
	"syscall"
	"unsafe"
)

// RegistryEditor are the calls of advapi32.dll that change the registry.
type RegistryEditor struct {
	createKey, setValue, deleteValue, deleteKey, queryInfo *Proc
}

// NewRegistryEditor returns the calls of a library, advapi32.dll for the system's
// own.
func NewRegistryEditor(dll *DLL) *RegistryEditor {
	return &RegistryEditor{
		createKey:   dll.Proc("RegCreateKeyExW"),
		setValue:    dll.Proc("RegSetValueExW"),
		deleteValue: dll.Proc("RegDeleteValueW"),
		deleteKey:   dll.Proc("RegDeleteKeyW"),
		queryInfo:   dll.Proc("RegQueryInfoKeyW"),
	}
}

// CreateKey opens a subkey for reading and writing, and creates it, and those
// above it, where it is not there.
//
// sys RegCreateKeyEx(key HKEY, subkey *uint16, reserved uint32, class *uint16, options
// uint32, desired uint32, security *SECURITY_ATTRIBUTES, result *HKEY, disposition
// *uint32) (status Errno) = advapi32.RegCreateKeyExW
func (r *RegistryEditor) CreateKey(key HKEY, subkey string) (result HKEY, created bool, err error) {
	addr, err := r.createKey.Addr()
	if err != nil {
		return 0, false, err
	}

	name, err := syscall.UTF16PtrFromString(subkey)
	if err != nil {
		return 0, false, ERROR_INVALID_PARAMETER
	}

	var disposition uint32
	status, _, _ := syscall.SyscallN(addr, uintptr(key), uintptr(unsafe.Pointer(name)), 0, 0, 0, KEY_READ|
		KEY_WRITE, 0,
		uintptr(unsafe.Pointer(&result)), uintptr(unsafe.Pointer(&disposition)))
	return result, disposition == REG_CREATED_NEW_KEY, Errno(status).Err()
}

// SetValue writes a value of a key.
//
// sys RegSetValueEx(key HKEY, name *uint16, reserved uint32, typ uint32, data *byte, size
// uint32) (status Errno) = advapi32.RegSetValueExW
func (r *RegistryEditor) SetValue(key HKEY, name string, typ uint32, data []byte) error {
	addr, err := r.setValue.Addr()
	if err != nil {
		return err
	}
	text, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return ERROR_INVALID_PARAMETER
	}
	status, _, _ := syscall.SyscallN(addr, uintptr(key), uintptr(unsafe.Pointer(text)), 0, uintptr(typ),
		uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)))
	return Errno(status).Err()
}

// DeleteValue deletes a value of a key.
//
// sys	RegDeleteValue(key HKEY, name *uint16) (status Errno) = advapi32.RegDeleteValueW
func (r *RegistryEditor) DeleteValue(key HKEY, name string) error {
	return r.named(r.deleteValue, key, name)
}

// DeleteKey deletes a subkey that has no subkeys, its values with it.
//
// sys	RegDeleteKey(key HKEY, subkey *uint16) (status Errno) = advapi32.RegDeleteKeyW
func (r *RegistryEditor) DeleteKey(key HKEY, subkey string) error {
	return r.named(r.deleteKey, key, subkey)
}

// named calls a function that takes a key and a name.
func (r *RegistryEditor) named(proc *Proc, key HKEY, name string) error {
	addr, err := proc.Addr()
	if err != nil {
		return err
	}
	text, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return ERROR_INVALID_PARAMETER
	}
	status, _, _ := syscall.SyscallN(addr, uintptr(key), uintptr(unsafe.Pointer(text)))
	return Errno(status).Err()
}

// Counts returns how many subkeys and values a key has.
//
// sys RegQueryInfoKey(key HKEY, class *uint16, classLen *uint32, reserved *uint32,
// subkeys *uint32, maxSubkeyLen *uint32, maxClassLen *uint32, values *uint32, maxNameLen
// *uint32, maxValueLen *uint32, security *uint32, lastWrite *FILETIME) (status Errno) =
// advapi32.RegQueryInfoKeyW
func (r *RegistryEditor) Counts(key HKEY) (subkeys, values uint32, err error) {
	addr, err := r.queryInfo.Addr()
	if err != nil {
		return 0, 0, err
	}
	status, _, _ := syscall.SyscallN(addr, uintptr(key), 0, 0, 0, uintptr(unsafe.Pointer(&subkeys)), 0, 0,
		uintptr(unsafe.Pointer(&values)), 0, 0, 0, 0)
	return subkeys, values, Errno(status).Err()
}
