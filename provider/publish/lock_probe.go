//go:build !linux

package publish

import "os"

// alive reports whether somebody holds the lock of a file: it takes one beside
// it and gives that back.
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
