package child

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AwaitExit waits until a child has ended, tells how, and leaves it there: its counters can be read
// until somebody waits for it, unless it reports false.
func AwaitExit(pid int) (Exit, bool) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return exitOf(&info), err == nil
		}
	}
}

// What si_code says of a child that has ended with a status; else a signal ended it.
const cldExited = 1

// exitOf reads the fields for children, which the type of the package has no names for: the process
// id, the user, and the status, behind three numbers and aligned as addresses are (sigaction(2)).
func exitOf(info *unix.Siginfo) Exit {
	const word = unsafe.Sizeof(uintptr(0))
	const fields = (3*4 + word - 1) / word * word
	status := *(*int32)(unsafe.Add(unsafe.Pointer(info), fields+8))
	if info.Code == cldExited {
		return Exit{Status: int(status)}
	}
	return Exit{Status: -1, Signal: signalName(syscall.Signal(status))}
}
