package child

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AwaitExit waits until a child has ended, without reaping it: its counters stay readable until the
// caller waits for it. It returns false if that failed.
func AwaitExit(pid int) (Exit, bool) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return exitOf(&info), err == nil
		}
	}
}

// Values of si_code for a child that exited with a status; otherwise a signal ended it.
const cldExited = 1

// exitOf reads the fields for children, which package unix does not name: after three numbers,
// aligned to addresses, the process ID, the user and the status (sigaction(2)).
func exitOf(info *unix.Siginfo) Exit {
	const word = unsafe.Sizeof(uintptr(0))
	const fields = (3*4 + word - 1) / word * word
	status := *(*int32)(unsafe.Add(unsafe.Pointer(info), fields+8))
	if info.Code == cldExited {
		return Exit{Status: int(status)}
	}
	return Exit{Status: -1, Signal: signalName(syscall.Signal(status))}
}
