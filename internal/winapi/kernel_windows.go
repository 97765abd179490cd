package winapi

import (
	"syscall"
	"unsafe"
)

// Kernel are the calls of kernel32.dll.
type Kernel struct {
	computerName, uiLanguage, moduleHandle, process, memoryInfo, handleInfo *Proc
}

// NewKernel returns the calls of a library, kernel32.dll for the system's own.
func NewKernel(dll *DLL) *Kernel {
	return &Kernel{
		computerName: dll.Proc("GetComputerNameW"),
		uiLanguage:   dll.Proc("GetUserDefaultUILanguage"),
		moduleHandle: dll.Proc("GetModuleHandleW"),
		process:      dll.Proc("GetCurrentProcess"),
		memoryInfo:   dll.Proc("K32GetProcessMemoryInfo"),
		handleInfo:   dll.Proc("GetHandleInformation"),
	}
}

// maxComputerName is the longest NetBIOS name that GetComputerName may return,
// with room to spare: MAX_COMPUTERNAME_LENGTH is 15, and Wine returns more.
const maxComputerName = 256

// ComputerName returns the machine's NetBIOS name, which stands in performance
// data blocks and counter paths.
//
// sys	GetComputerName(name *uint16, size *uint32) (err error) = kernel32.GetComputerNameW
func (k *Kernel) ComputerName() (string, error) {
	addr, err := k.computerName.Addr()
	if err != nil {
		return "", err
	}
	var name [maxComputerName]uint16
	n := uint32(len(name))
	ok, _, errno := syscall.SyscallN(addr, uintptr(unsafe.Pointer(&name)), uintptr(unsafe.Pointer(&n)))
	if ok == 0 {
		return "", Errno(errno)
	}
	return syscall.UTF16ToString(name[:min(int(n), len(name))]), nil
}

// UILanguage returns the language identifier of the user's interface language.
//
// sys	GetUserDefaultUILanguage() (language uint16) = kernel32.GetUserDefaultUILanguage
func (k *Kernel) UILanguage() (uint16, error) {
	addr, err := k.uiLanguage.Addr()
	if err != nil {
		return 0, err
	}
	language, _, _ := syscall.SyscallN(addr)
	return uint16(language), nil
}

// Loaded tells whether a library is loaded into this process.
//
// sys	GetModuleHandle(name *uint16) (module Handle) = kernel32.GetModuleHandleW
func (k *Kernel) Loaded(library string) (bool, error) {
	addr, err := k.moduleHandle.Addr()
	if err != nil {
		return false, err
	}
	name, err := syscall.UTF16PtrFromString(library)
	if err != nil {
		return false, ERROR_INVALID_PARAMETER
	}
	module, _, _ := syscall.SyscallN(addr, uintptr(unsafe.Pointer(name)))
	return module != 0, nil
}

// currentProcess returns the pseudo handle of this process.
//
// sys	GetCurrentProcess() (process Handle) = kernel32.GetCurrentProcess
func (k *Kernel) currentProcess() (uintptr, error) {
	addr, err := k.process.Addr()
	if err != nil {
		return 0, err
	}
	process, _, _ := syscall.SyscallN(addr)
	return process, nil
}

// MemoryInfo returns how much memory this process has.
//
// sys GetProcessMemoryInfo(process Handle, info *PROCESS_MEMORY_COUNTERS, size uint32)
// (err error) = kernel32.K32GetProcessMemoryInfo
func (k *Kernel) MemoryInfo() (PROCESS_MEMORY_COUNTERS, error) {
	var info PROCESS_MEMORY_COUNTERS
	addr, err := k.memoryInfo.Addr()
	if err != nil {
		return info, err
	}

	process, err := k.currentProcess()
	if err != nil {
		return info, err
	}

	info.Cb = uint32(unsafe.Sizeof(info))
	if ok, _, errno := syscall.SyscallN(addr, process, uintptr(unsafe.Pointer(&info)),
		unsafe.Sizeof(info)); ok == 0 {
		return info, Errno(errno)
	}
	return info, nil
}

// HandleCount returns how many handles this process has open. It tries all
// numbers that a handle may have, as GetProcessHandleCount does not work under
// Wine, and so belongs into tests.
//
// sys	GetHandleInformation(object Handle, flags *uint32) (err error) = kernel32.GetHandleInformation
func (k *Kernel) HandleCount() (int, error) {
	const step, gap = 4, 4096 // numbers are multiples of 4; after so many free ones no more are used
	addr, err := k.handleInfo.Addr()
	if err != nil {
		return 0, err
	}

	count := 0
	var flags uint32
	for h, free := uintptr(step), 0; free < gap; h += step {
		if ok, _, _ := syscall.SyscallN(addr, h, uintptr(unsafe.Pointer(&flags))); ok != 0 {
			count++
			free = 0
		} else {
			free++
		}
	}
	return count, nil
}
