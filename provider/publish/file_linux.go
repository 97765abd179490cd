package publish

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A publisher's lock is an open file description's lock for writing on the whole file
// (fcntl(2), F_OFD_SETLK). The kernel gives it only through a descriptor that is open
// for writing, which only the file's owner and administrators can get, and it goes with
// the last descriptor of the process. So no reader can keep up the appearance of a
// publisher that is gone.

// tryLock takes the lock of a file, exclusive or shared, without waiting. It returns false
// where another holder of the lock does not allow it.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	kind := int16(unix.F_RDLCK)
	if exclusive {
		kind = unix.F_WRLCK
	}
	err := fcntlLock(f, unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart})

	// fcntl may say either where the lock is held.
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

// reserve makes a file longer by n bytes that are really there: memory of a file
// system that is full would end the program when it is touched.
func reserve(f *os.File, offset, n int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, offset, n)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP):
			return f.Truncate(offset + n)
		default:
			return err
		}
	}
}

// moreOf returns what fstat does not tell. mounted says that the open file is a mount point, so
// that its owner cannot be trusted: an account can mount a file system of its own (FUSE) on a
// file of its own and make it tell any owner. Kernels before 5.8 do not tell it. born is the
// time when the file was made, in ns since 1970, which no account can set; 0 where it is not known.
func moreOf(f *os.File) (mounted bool, born int64) {
	var st unix.Statx_t // kernels may lack it
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st); err != nil {
		return false, 0
	}
	if st.Mask&unix.STATX_BTIME != 0 {
		born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, born
}

// outsideAccount returns the number that the system reports for accounts that this user namespace
// does not have; none in the first user namespace, which has all.
func outsideAccount() int64 {
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil || strings.Join(strings.Fields(string(ids)), " ") == "0 0 4294967295" {
		return none
	}

	number, _ := os.ReadFile("/proc/sys/kernel/overflowuid")
	id, err := strconv.ParseInt(strings.TrimSpace(string(number)), 10, 64)
	if err != nil {
		return 65534 // the kernel's default
	}
	return id
}
