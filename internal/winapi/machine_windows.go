package winapi

import (
	"syscall"
	"time"
	"unsafe"
)

// ComputerNameEx returns a name of the machine, by one of the ComputerName numbers, or "".
//
// sys	GetComputerNameEx(format uint32, name *uint16, size *uint32) (err error) = kernel32.GetComputerNameExW
func (k *Kernel) ComputerNameEx(format uint32) (string, error) {
	var name [1024]uint16 // DNS names have at most 255 characters
	n := uint32(len(name))
	ok, errno, err := call(k.dll, "GetComputerNameExW", uintptr(format), uintptr(unsafe.Pointer(&name)),
		uintptr(unsafe.Pointer(&n)))
	switch {
	case err != nil:
		return "", err
	case ok == 0:
		return "", errno
	}
	return syscall.UTF16ToString(name[:min(int(n), len(name))]), nil
}

// MemoryStatus returns the memory of the machine.
//
// sys	GlobalMemoryStatusEx(status *MEMORYSTATUSEX) (err error) = kernel32.GlobalMemoryStatusEx
func (k *Kernel) MemoryStatus() (MEMORYSTATUSEX, error) {
	status := MEMORYSTATUSEX{DwLength: uint32(unsafe.Sizeof(MEMORYSTATUSEX{}))}
	ok, errno, err := call(k.dll, "GlobalMemoryStatusEx", uintptr(unsafe.Pointer(&status)))
	if err == nil && ok == 0 {
		err = errno
	}
	return status, err
}

// UpTime returns the time since the machine was started, with a resolution of 10 to 16 ms.
//
// sys	GetTickCount64() (ms uint64) = kernel32.GetTickCount64
func (k *Kernel) UpTime() (time.Duration, error) {
	addr, err := k.dll.Proc("GetTickCount64").Addr()
	if err != nil {
		return 0, err
	}

	low, high, _ := syscall.SyscallN(addr)
	ms := uint64(low)
	if unsafe.Sizeof(low) == 4 { // the upper half is in another register
		ms |= uint64(high) << 32
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// Processors returns the number of active logical processors in all groups.
//
// sys	GetActiveProcessorCount(group uint16) (count uint32) = kernel32.GetActiveProcessorCount
func (k *Kernel) Processors() (int, error) {
	n, _, err := call(k.dll, "GetActiveProcessorCount", ALL_PROCESSOR_GROUPS)
	return int(uint32(n)), err
}

// TimeZoneKey returns the English name of the machine's time zone.
//
// sys	GetDynamicTimeZoneInformation(info *DYNAMIC_TIME_ZONE_INFORMATION) (id uint32) =
// kernel32.GetDynamicTimeZoneInformation
func (k *Kernel) TimeZoneKey() (string, error) {
	const invalid = 1<<32 - 1 // TIME_ZONE_ID_INVALID
	var info DYNAMIC_TIME_ZONE_INFORMATION
	id, errno, err := call(k.dll, "GetDynamicTimeZoneInformation", uintptr(unsafe.Pointer(&info)))
	switch {
	case err != nil:
		return "", err
	case uint32(id) == invalid:
		return "", errno
	}
	return syscall.UTF16ToString(info.TimeZoneKeyName[:]), nil
}
