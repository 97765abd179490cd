//go:build linux || darwin

package cli

import (
	"errors"
	"os"
	"syscall"
)

// replacesOpen tells whether a file can be replaced that is open.
const replacesOpen = true

// tryLock locks a file until it is closed, unless another has it locked.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
