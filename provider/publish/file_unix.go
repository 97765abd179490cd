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
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pubfile"
	"golang.org/x/sys/unix"
)

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

// makeDirectory creates a missing directory. Only an administrator can create the shared directory.
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

// createFile creates a file that no other account can open before admitReaders.
func createFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
}

// admitReaders lets the readers' group read a file. Only its owner may write to it: its lock and owner
// rely on that.
func admitReaders(f *os.File, group string) error {
	if group != "" {
		if err := setGroup(f, group); err != nil {
			return err
		}
	}
	return f.Chmod(0o640)
}

func audienceOf(f *os.File) string {
	where := ""
	dir := filepath.Dir(f.Name())
	if !slices.ContainsFunc(systemDirs(), func(d directory) bool { return d.path == dir }) {
		where = ", where " + Environment + " names " + dir
	}

	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil {
		return "this account and root" + where
	}
	group := strconv.FormatUint(uint64(st.Gid), 10)
	if g, err := user.LookupGroupId(group); err == nil {
		group = g.Name
	}

	switch closed := closedTo(dir, st.Gid); {
	case closed == "":
		return "this account, root and the members of the group " + group + where
	case int(st.Gid) == os.Getegid(): // the user did not choose the group
		return "this account and root" + where
	default:
		const form = "this account and root; " +
			"the members of the group %s may read the file, but not reach it in %s"
		return fmt.Sprintf(form, group, closed)
	}
}

// closedTo returns the directory in path that prevents the members of a group from finding files, or "".
// The last directory must also be readable, because readers list it.
func closedTo(path string, group uint32) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	for need := fs.FileMode(0o5); ; need = 0o1 {
		info, err := os.Stat(path)
		if err != nil {
			return path
		}

		mode := info.Mode().Perm()
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Gid == group {
			mode >>= 3
		}
		if mode&need != need {
			return path
		}
		if path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
	}
}

// Elsewhere returns the directories of other accounts that contain published files, or that this account
// cannot read. A Reader does not read them unless [Environment] lists them. If Environment is set,
// Elsewhere returns nil.
func Elsewhere() (dirs []string) {
	if os.Getenv(Environment) != "" {
		return nil
	}
	own := systemDirs()
	patterns := []string{strings.TrimSuffix(own[len(own)-1].path, strconv.Itoa(os.Geteuid())) + "*"}
	if runtime.GOOS == "linux" {
		patterns = append(patterns, "/run/user/*/winperf")
	}

	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			info, err := os.Lstat(path)
			if err != nil || !info.IsDir() || ownerOf(info) == int64(os.Geteuid()) {
				continue
			}
			published, _ := filepath.Glob(filepath.Join(path, "*"+pubfile.Suffix))
			if len(published) > 0 || unix.Access(path, unix.R_OK) != nil {
				dirs = append(dirs, path)
			}
		}
	}
	return dirs
}

func setGroup(f *os.File, group string) error {
	id := group
	if g, err := user.LookupGroup(group); err == nil {
		id = g.Gid
	}
	gid, err := strconv.ParseUint(id, 10, 31)
	if err != nil {
		return fmt.Errorf("unknown group %q", group)
	}
	return f.Chown(-1, int(gid))
}

// openFile opens a file for reading. It does not follow links or wait for the other end of a pipe.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

// openOwn opens a file that belongs to this account, or any file for an administrator, so that it can be
// locked.
func openOwn(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}

func mapRegion(f *os.File, offset int64, n int) ([]byte, error) {
	if err := reserve(f, offset, int64(n)); err != nil {
		return nil, &os.PathError{Op: "extend", Path: f.Name(), Err: err}
	}
	p, err := unix.Mmap(int(f.Fd()), offset, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return p, nil
}

func unmapRegion(p []byte) error { return unix.Munmap(p) }

func identify(f *os.File) (id identity, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return id, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return id, fmt.Errorf("not a regular file: %w", winperf.ErrBadData)
	}

	mounted, born := moreOf(f)
	if mounted {
		return id, fmt.Errorf("another file system is mounted on it: %w", winperf.ErrBadData)
	}
	return identity{
		device: widen(st.Dev), number: st.Ino, born: born,
		owner: int64(st.Uid), writable: st.Mode&0o022 != 0,
	}, nil
}

func widen[T int32 | uint32 | uint64](n T) uint64 { return uint64(n) }

func ownerOf(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Uid)
	}
	return -1
}

// lend returns n bytes of memory that unlend releases immediately.
func lend(n int) []byte {
	p, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]byte, n)
	}
	return p
}

func unlend(p []byte) {
	_ = unix.Munmap(p)
}
