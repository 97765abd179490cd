package publish

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock of a file unless another has it.
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

// reserve makes a file longer by n bytes.
func reserve(f *os.File, offset, n int64) error { return f.Truncate(offset + n) }

// moreOf tells nothing: no account can mount a file system on a file here, and an owner
// can set the time when a file was made.
func moreOf(*os.File) (mounted bool, born int64) { return false, 0 }

// outsideAccount returns none: this system has no user namespaces.
func outsideAccount() int64 { return none }
