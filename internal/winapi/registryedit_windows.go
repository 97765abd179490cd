package winapi

import "unsafe"

// RegistryEditor are the calls of advapi32.dll that change the registry.
type RegistryEditor struct{ dll *DLL }

// NewRegistryEditor returns the calls of a library: advapi32.dll or a fake.
func NewRegistryEditor(dll *DLL) *RegistryEditor { return &RegistryEditor{dll} }

// CreateKey opens a subkey for reading and writing. It creates missing keys.
//
// sys RegCreateKeyEx(key HKEY, subkey *uint16, reserved uint32, class *uint16, options
// uint32, desired uint32, security *SECURITY_ATTRIBUTES, result *HKEY, disposition
// *uint32) (status Errno) = advapi32.RegCreateKeyExW
func (r *RegistryEditor) CreateKey(key HKEY, subkey string) (result HKEY, created bool, err error) {
	name, err := text16(subkey)
	if err != nil {
		return 0, false, err
	}
	var disposition uint32
	err = callStatus(r.dll, "RegCreateKeyExW", uintptr(key), uintptr(unsafe.Pointer(name)), 0, 0, 0,
		KEY_READ|KEY_WRITE, 0, uintptr(unsafe.Pointer(&result)), uintptr(unsafe.Pointer(&disposition)))
	return result, disposition == REG_CREATED_NEW_KEY, err
}

// SetValue writes a value of a key.
//
// sys RegSetValueEx(key HKEY, name *uint16, reserved uint32, typ uint32, data *byte, size
// uint32) (status Errno) = advapi32.RegSetValueExW
func (r *RegistryEditor) SetValue(key HKEY, name string, typ uint32, data []byte) error {
	text, err := text16(name)
	if err != nil {
		return err
	}
	return callStatus(r.dll, "RegSetValueExW", uintptr(key), uintptr(unsafe.Pointer(text)), 0, uintptr(typ),
		uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)))
}

// DeleteValue deletes a value of a key.
//
// sys	RegDeleteValue(key HKEY, name *uint16) (status Errno) = advapi32.RegDeleteValueW
func (r *RegistryEditor) DeleteValue(key HKEY, name string) error {
	return r.named("RegDeleteValueW", key, name)
}

// DeleteKey deletes a subkey without subkeys, and its values.
//
// sys	RegDeleteKey(key HKEY, subkey *uint16) (status Errno) = advapi32.RegDeleteKeyW
func (r *RegistryEditor) DeleteKey(key HKEY, subkey string) error {
	return r.named("RegDeleteKeyW", key, subkey)
}

func (r *RegistryEditor) named(function string, key HKEY, name string) error {
	text, err := text16(name)
	if err != nil {
		return err
	}
	return callStatus(r.dll, function, uintptr(key), uintptr(unsafe.Pointer(text)))
}

// Counts returns the number of subkeys and values of a key.
//
// sys RegQueryInfoKey(key HKEY, class *uint16, classLen *uint32, reserved *uint32,
// subkeys *uint32, maxSubkeyLen *uint32, maxClassLen *uint32, values *uint32, maxNameLen
// *uint32, maxValueLen *uint32, security *uint32, lastWrite *FILETIME) (status Errno) =
// advapi32.RegQueryInfoKeyW
func (r *RegistryEditor) Counts(key HKEY) (subkeys, values uint32, err error) {
	err = callStatus(r.dll, "RegQueryInfoKeyW", uintptr(key), 0, 0, 0, uintptr(unsafe.Pointer(&subkeys)),
		0, 0, uintptr(unsafe.Pointer(&values)), 0, 0, 0, 0)
	return subkeys, values, err
}
