//go:build linux || darwin

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks a file until it is closed, without waiting. It returns false where the file is
// locked already.
func Try(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR): // a call that a signal interrupted is made again
			return false, err
		}
	}
}
