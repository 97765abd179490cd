package winapi

import "unsafe"

// ProcessorPackages returns the packages of the machine.
//
// sys GetLogicalProcessorInformationEx(relation uint32, records *byte, size *uint32) (err
// error) = kernel32.GetLogicalProcessorInformationEx
func (k *Kernel) ProcessorPackages() ([]ProcessorPackage, error) {
	const start, largest = 16 << 10, 4 << 20
	var used uint32
	m, err := growing(start, largest, ERROR_INSUFFICIENT_BUFFER, func(m Memory, size *uint32) error {
		ok, errno, err := call(k.dll, "GetLogicalProcessorInformationEx", RelationAll, uintptr(pointer(m)),
			uintptr(unsafe.Pointer(size)))
		used = *size
		if err == nil && ok == 0 {
			err = errno
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m.ProcessorPackages(used)
}

// Architecture returns the architecture of the machine's processors (PROCESSOR_ARCHITECTURE of winnt.h): 0 is
// x86, 9 is x64, 12 is ARM64.
//
// sys	GetNativeSystemInfo(info *SYSTEM_INFO) = kernel32.GetNativeSystemInfo
func (k *Kernel) Architecture() (uint16, error) {
	var info [32]uint16 // SYSTEM_INFO of sysinfoapi.h has 48 bytes and begins with the architecture
	_, _, err := call(k.dll, "GetNativeSystemInfo", uintptr(unsafe.Pointer(&info)))
	return info[0], err
}
