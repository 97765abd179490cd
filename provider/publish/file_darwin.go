package publish

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}

	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}

func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func reserve(f *os.File, offset, n int64) error { return f.Truncate(offset + n) }

// moreOf returns nothing: on this system accounts cannot mount a file system on a file, and an owner can
// set the creation time.
func moreOf(*os.File) (mounted bool, born int64) { return false, 0 }

// outsideAccount returns none: this system has no user namespaces.
func outsideAccount() int64 { return none }
