package live

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// onHangup calls f when w is a pipe and its reader has gone away. Without it a
// program that waits between two lines would notice only with the next one.
// What waits for that stays until the process ends.
func onHangup(w io.Writer, f func()) {
	file, ok := w.(*os.File)
	if !ok {
		return
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}

	go func() {
		// Errors of the descriptor are reported whatever is asked for.
		fds := []unix.PollFd{{Fd: int32(file.Fd())}}
		for {
			n, err := unix.Poll(fds, -1)
			if err != nil && err != unix.EINTR {
				return
			}
			if n > 0 && fds[0].Revents&unix.POLLERR != 0 {
				f()
				return
			}
		}
	}()
}
