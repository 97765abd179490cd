//go:build linux || darwin

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks a file until it is closed, without waiting. It returns false if the file is already
// locked.
func Try(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR): // retry calls that a signal interrupted
			return false, err
		}
	}
}
