package live

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// onHangup calls f when the reader of the pipe w is closed. Without it a waiting program would notice only
// at its next write. Its goroutine runs until the process ends.
func onHangup(w io.Writer, f func()) {
	file, ok := w.(*os.File)
	if !ok {
		return
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}

	go func() {
		// Errors are reported for any requested events.
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
