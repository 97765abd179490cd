package winapi

import (
	"syscall"
	"unsafe"
)

// CommandLines calls functions of kernel32.dll and ntdll.dll that read the command lines of processes.
type CommandLines struct{ kernel, native *DLL }

// NewCommandLines returns the calls of libraries: kernel32.dll and ntdll.dll, or a fake.
func NewCommandLines(kernel, native *DLL) *CommandLines { return &CommandLines{kernel, native} }

// CommandLine returns the command line of a process. It needs Windows 8.1.
//
// sys NtQueryInformationProcess(process Handle, class uint32, info *byte, size uint32, returned
// *uint32) (status int32) = ntdll.NtQueryInformationProcess
func (c *CommandLines) CommandLine(pid uint32) (string, error) {
	process, errno, err := call(c.kernel, "OpenProcess", PROCESS_QUERY_LIMITED_INFORMATION, 0, uintptr(pid))
	switch {
	case err != nil:
		return "", err
	case process == 0:
		return "", errno
	}
	defer func() { _, _, _ = call(c.kernel, "CloseHandle", process) }()

	const size = 1<<16 + 32 // a UNICODE_STRING and its longest text
	m := make(Memory, size/8)
	var returned uint32
	status, _, err := call(c.native, "NtQueryInformationProcess", process, ProcessCommandLineInformation,
		uintptr(pointer(m)), size, uintptr(unsafe.Pointer(&returned)))
	switch {
	case err != nil:
		return "", err
	case int32(status) < 0:
		return "", syscall.EINVAL
	}
	return m.UnicodeString()
}
