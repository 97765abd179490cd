package winapi

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Kernel calls functions of kernel32.dll.
type Kernel struct{ dll *DLL }

// NewKernel returns the calls of a library: kernel32.dll or a fake.
func NewKernel(dll *DLL) *Kernel { return &Kernel{dll} }

// maxComputerName is the longest NetBIOS name accepted: MAX_COMPUTERNAME_LENGTH is 15, but
// Wine returns longer names.
const maxComputerName = 256

// ComputerName returns the machine's NetBIOS name, used in performance data blocks and
// counter paths.
//
// sys	GetComputerName(name *uint16, size *uint32) (err error) = kernel32.GetComputerNameW
func (k *Kernel) ComputerName() (string, error) {
	var name [maxComputerName]uint16
	n := uint32(len(name))
	ok, errno, err := call(k.dll, "GetComputerNameW", uintptr(unsafe.Pointer(&name)),
		uintptr(unsafe.Pointer(&n)))
	switch {
	case err != nil:
		return "", err
	case ok == 0:
		return "", errno
	}
	return syscall.UTF16ToString(name[:min(int(n), len(name))]), nil
}

// UILanguage returns the language identifier of the user's interface language.
//
// sys	GetUserDefaultUILanguage() (language uint16) = kernel32.GetUserDefaultUILanguage
func (k *Kernel) UILanguage() (uint16, error) {
	language, _, err := call(k.dll, "GetUserDefaultUILanguage")
	return uint16(language), err
}

// Loaded reports whether a library is loaded into this process.
//
// sys	GetModuleHandle(name *uint16) (module Handle) = kernel32.GetModuleHandleW
func (k *Kernel) Loaded(library string) (bool, error) {
	name, err := text16(library)
	if err != nil {
		return false, err
	}
	module, _, err := call(k.dll, "GetModuleHandleW", uintptr(unsafe.Pointer(name)))
	return module != 0, err
}

// MemoryInfo returns the memory of this process.
//
// sys GetProcessMemoryInfo(process Handle, info *PROCESS_MEMORY_COUNTERS, size uint32)
// (err error) = kernel32.K32GetProcessMemoryInfo
func (k *Kernel) MemoryInfo() (PROCESS_MEMORY_COUNTERS, error) {
	info := PROCESS_MEMORY_COUNTERS{Cb: uint32(unsafe.Sizeof(PROCESS_MEMORY_COUNTERS{}))}
	ok, errno, err := call(k.dll, "K32GetProcessMemoryInfo", uintptr(windows.CurrentProcess()),
		uintptr(unsafe.Pointer(&info)), unsafe.Sizeof(info))
	if err == nil && ok == 0 {
		err = errno
	}
	return info, err
}

// HandleCount returns the number of open handles of this process. It tries all
// possible handles, because GetProcessHandleCount does not work under Wine.
//
// sys	GetHandleInformation(object Handle, flags *uint32) (err error) = kernel32.GetHandleInformation
func (k *Kernel) HandleCount() (int, error) {
	const step, gap = 4, 4096 // handles are multiples of 4; no more are used after so many free ones
	count := 0
	var flags uint32
	for h, free := uintptr(step), 0; free < gap; h += step {
		ok, _, err := call(k.dll, "GetHandleInformation", h, uintptr(unsafe.Pointer(&flags)))
		switch {
		case err != nil:
			return 0, err
		case ok != 0:
			count++
			free = 0
		default:
			free++
		}
	}
	return count, nil
}

// OpenHandles returns the number of open handles of this process.
//
// sys	GetProcessHandleCount(process Handle, count *uint32) (err error) = kernel32.GetProcessHandleCount
func (k *Kernel) OpenHandles() (int, error) {
	var count uint32
	ok, errno, err := call(k.dll, "GetProcessHandleCount", uintptr(windows.CurrentProcess()),
		uintptr(unsafe.Pointer(&count)))
	if err == nil && ok == 0 {
		err = errno
	}
	return int(count), err
}
