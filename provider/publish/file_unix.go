//go:build linux || darwin

package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// systemDirs are the common directory and the user's own.
func systemDirs() []directory {
	own := "winperf-" + strconv.Itoa(os.Geteuid())
	if runtime.GOOS != "linux" {
		return []directory{{path: "/var/run/winperf", shared: true}, {path: "/tmp/" + own, private: true}}
	}
	dirs := []directory{{path: "/run/winperf", shared: true}}
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		dirs = append(dirs, directory{path: filepath.Join(run, "winperf"), private: true})
	}
	return append(dirs, directory{path: "/dev/shm/" + own, private: true})
}

// makeDirectory makes a directory where it is not there. The common one can be
// made by an administrator only, whose system says so.
func makeDirectory(d directory) error {
	mode := fs.FileMode(0o700)
	if d.shared {
		mode = 0o755
	}
	if err := os.Mkdir(d.path, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func isPrivate(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}

// createFile creates a file for its owner and the readers' group.
func createFile(path, group string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o640)
	if err != nil {
		return nil, err
	}
	err = f.Chmod(0o640) // whatever the umask says
	if err == nil && group != "" {
		err = giveTo(f, group)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(path), f.Close())
	}
	return f, nil
}

// giveTo makes a group, by its name or number, that of a file.
func giveTo(f *os.File, group string) error {
	id := group
	if g, err := user.LookupGroup(group); err == nil {
		id = g.Gid
	}
	gid, err := strconv.ParseUint(id, 10, 31)
	if err != nil {
		return fmt.Errorf("there is no group %q", group)
	}
	return f.Chown(-1, int(gid))
}

// openFile opens a file for reading. It does not follow links, and waits for
// nobody at the other end of a pipe.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

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

// mapPiece makes a file longer and maps what it gained.
func mapPiece(f *os.File, offset int64, n int) ([]byte, error) {
	if err := reserve(f, offset, int64(n)); err != nil {
		return nil, &os.PathError{Op: "extend", Path: f.Name(), Err: err}
	}
	p, err := unix.Mmap(int(f.Fd()), offset, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return p, nil
}

func unmapPiece(p []byte) error { return unix.Munmap(p) }
