//go:build !linux

package publish

import "os"

// alive reports whether the lock of a file is held. It tries to take the lock, and releases it.
func alive(f *os.File) (bool, error) {
	locked, err := tryLock(f, false)
	if err != nil {
		return false, err
	}
	if locked {
		return false, unlock(f)
	}
	return true, nil
}
