package publish

import (
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// holdAll takes all locks that a descriptor for reading gives.
func holdAll(t *testing.T, f *os.File) {
	t.Helper()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Error(err)
	}
	if locked, err := tryLock(f, false); err != nil || !locked {
		t.Error(locked, err)
	}
	posix := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_SETLK, &posix); err != nil {
		t.Error(err)
	}
	if locked, err := tryLock(f, true); locked || !errors.Is(err, unix.EBADF) {
		t.Errorf("a reader has the publisher's lock: %v, %v", locked, err)
	}
}
