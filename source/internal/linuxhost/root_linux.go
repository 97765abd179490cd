package linuxhost

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"unsafe"

	"github.com/winperf/winperf/internal/hostfiles"
	"golang.org/x/sys/unix"
)

// directory is a [Root] for the files of a machine. It builds names in a buffer, because package unix
// allocates one for each call.
type directory struct {
	files hostfiles.Files
	name  []byte // NUL-terminated
	list  []byte
	stat  unix.Statx_t
}

func newRoot(files *hostfiles.Files) Root {
	return &directory{files: *files, list: make([]byte, 16<<10)}
}

// Open implements [Root].
func (d *directory) Open(dir Handle, name string) (Handle, error) {
	d.name = d.name[:0]
	if dir == 0 {
		var above string
		above, name = d.files.Split(name)
		d.name = append(append(d.name, above...), '/')
	}
	d.name = append(append(d.name, name...), 0)

	// Opening a pipe must not block.
	return openat(dir, d.name, unix.O_RDONLY|unix.O_NONBLOCK)
}

// Process implements [Root].
func (d *directory) Process(proc Handle, pid int) (Handle, error) {
	d.name = append(strconv.AppendInt(d.name[:0], int64(pid), 10), 0)
	return openat(proc, d.name, unix.O_PATH|unix.O_DIRECTORY)
}

func openat(dir Handle, name []byte, flags int) (Handle, error) {
	for {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, descriptor(dir), uintptr(unsafe.Pointer(&name[0])),
			uintptr(flags|unix.O_CLOEXEC), 0, 0, 0)
		if errno == 0 {
			return Handle(fd + 1), nil
		}
		if errno != unix.EINTR {
			return 0, systemError(errno)
		}
	}
}

// descriptor returns handle - 1. For 0 it returns AT_FDCWD, which is ignored for absolute names.
func descriptor(h Handle) uintptr {
	if h == 0 {
		cwd := unix.AT_FDCWD
		return uintptr(cwd)
	}
	return uintptr(h - 1)
}

// systemError converts ESRCH and ENODEV, the errors of open files that no longer exist, to
// fs.ErrNotExist, and short descriptors or memory to ErrShort.
func systemError(err error) error {
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.ENODEV):
		return fs.ErrNotExist
	case errors.Is(err, unix.EMFILE):
		return errProgramFull
	case errors.Is(err, unix.ENFILE):
		return errSystemFull
	case errors.Is(err, unix.ENOMEM):
		return errNoMemory
	}
	return err
}

// Allocated once.
var (
	errProgramFull = fmt.Errorf("%w: %w", ErrShort, unix.EMFILE)
	errSystemFull  = fmt.Errorf("%w: %w", ErrShort, unix.ENFILE)
	errNoMemory    = fmt.Errorf("%w: %w", ErrShort, unix.ENOMEM)
)

// Processes implements [Root].
func (d *directory) Processes(proc Handle, dst []int) ([]int, error) {
	err := d.eachBlock(proc, func(entries []byte) { dst = appendIDs(dst, entries) })
	return dst, err
}

func appendIDs(dst []int, entries []byte) []int {
	for len(entries) > 0 {
		var e Entry
		e, entries = cutEntry(entries)
		if id, ok := decimal(e.Name); ok && id <= maxID {
			dst = append(dst, int(id))
		}
	}
	return dst
}

// Read implements [Root].
func (d *directory) Read(file Handle, p []byte, offset int64) (int, error) {
	for {
		n, err := unix.Pread(int(descriptor(file)), p, offset)
		if err == nil {
			return n, nil
		}
		if err != unix.EINTR {
			return 0, systemError(err)
		}
	}
}

// Size implements [Root].
func (d *directory) Size(dir Handle, name string) (int64, error) {
	d.name = append(append(d.name[:0], name...), 0)
	for {
		_, _, errno := unix.Syscall6(unix.SYS_STATX, descriptor(dir), uintptr(unsafe.Pointer(&d.name[0])), 0,
			unix.STATX_SIZE, uintptr(unsafe.Pointer(&d.stat)), 0)
		if errno == 0 {
			return int64(d.stat.Size), nil
		}
		if errno != unix.EINTR {
			return 0, systemError(errno)
		}
	}
}

// Statfs implements [Root]. It uses only d.files, because calls may be concurrent, and closes the
// mount point, so that it can be unmounted.
func (d *directory) Statfs(path string) (Space, error) {
	var buf [256]byte
	name := append(append(append(buf[:0], d.files.Root()...), path...), 0)
	h, err := openat(0, name, unix.O_PATH)
	if err != nil {
		return Space{}, err
	}

	var st unix.Statfs_t
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Fstatfs(int(descriptor(h)), &st)
	}

	if err = errors.Join(err, d.Close(h)); err != nil {
		return Space{}, systemError(err)
	}
	unit := st.Frsize
	if unit == 0 { // before Linux 2.6
		unit = st.Bsize
	}
	return Space{
		BlockSize: uint64(unit), Blocks: st.Blocks, Free: st.Bfree, Available: st.Bavail,
		Inodes: st.Files, FreeInodes: st.Ffree,
	}, nil
}

// Close implements [Root].
func (d *directory) Close(h Handle) error { return unix.Close(int(descriptor(h))) }
