package publish

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A publisher's lock is an open file description's lock for writing on the whole file
// (fcntl(2), F_OFD_SETLK). The kernel gives it only through a descriptor that is open
// for writing, which only the file's owner and administrators can get, and it goes with
// the last descriptor of the process. So no reader can keep up the appearance of a
// publisher that is gone.

// tryLock takes the lock of a file unless another has it.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	kind := int16(unix.F_RDLCK)
	if exclusive {
		kind = unix.F_WRLCK
	}
	err := fcntlLock(f, unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart})
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

// alive reports whether a publisher holds the lock of a file. It takes no lock
// itself, and locks for reading, which anybody may have, do not count.
func alive(f *os.File) (bool, error) {
	probe := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	err := fcntlLock(f, unix.F_OFD_GETLK, &probe)
	return err == nil && probe.Type == unix.F_WRLCK, err
}

// fcntlLock asks for a lock without waiting.
func fcntlLock(f *os.File, how int, lock *unix.Flock_t) error {
	for {
		err := unix.FcntlFlock(f.Fd(), how, lock)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}
