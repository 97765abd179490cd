//go:build linux || darwin

package cli

import (
	"errors"
	"os"
	"syscall"
)

// replacesOpen reports whether a file can be replaced while it is open.
const replacesOpen = true

// tryLock locks a file until it is closed, without waiting. It returns false where the file is
// locked already.
func tryLock(f *os.File) (bool, error) {
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
