package publish

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A publisher's lock is an open file description lock for writing on the whole file (fcntl(2),
// F_OFD_SETLK). It needs a descriptor open for writing, which only the file's owner and administrators
// can get, and it ends with the last descriptor of the process. A reader therefore cannot pretend that a
// publisher is alive.

// tryLock locks a file, exclusively or shared, without waiting. It returns false if another lock prevents
// it.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	kind := int16(unix.F_RDLCK)
	if exclusive {
		kind = unix.F_WRLCK
	}
	err := fcntlLock(f, unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Whence: io.SeekStart})

	// fcntl returns either error if the lock is held.
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	return err == nil, err
}

// alive reports whether a publisher holds the lock of a file. It takes no lock and ignores read locks,
// which any account may hold.
func alive(f *os.File) (bool, error) {
	probe := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	err := fcntlLock(f, unix.F_OFD_GETLK, &probe)
	return err == nil && probe.Type == unix.F_WRLCK, err
}

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

// reserve extends a file by n bytes and allocates them. Otherwise an access to memory that a full file
// system cannot allocate would end the program.
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

// moreOf returns information that fstat does not have. mounted reports whether the file is a mount point:
// its owner cannot be trusted, because an account can mount its own file system (FUSE) on its own file
// and report any owner. Kernels before 5.8 do not report it. born is the creation time in ns since 1970,
// which no account can set; 0 if unknown.
func moreOf(f *os.File) (mounted bool, born int64) {
	var st unix.Statx_t
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st); err != nil {
		return false, 0
	}
	if st.Mask&unix.STATX_BTIME != 0 {
		born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, born
}

// outsideAccount returns the number that the system reports for accounts outside of this user namespace,
// or none in the first user namespace, which has all accounts.
func outsideAccount() int64 {
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil || strings.Join(strings.Fields(string(ids)), " ") == "0 0 4294967295" {
		return none
	}

	number, _ := os.ReadFile("/proc/sys/kernel/overflowuid")
	id, err := strconv.ParseInt(strings.TrimSpace(string(number)), 10, 64)
	if err != nil {
		return 65534
	}
	return id
}
