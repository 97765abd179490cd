package linuxhost

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// directory is a [Root] on a directory that holds proc and sys. Names are put
// together in a buffer of its own: package unix would allocate one for each
// call.
type directory struct {
	path string
	name []byte // NUL-terminated
	list []byte
	stat unix.Statx_t
}

// newRoot returns the Root of a directory: "/", or where the host's /proc and
// /sys are mounted.
func newRoot(path string) Root {
	return &directory{path: path, list: make([]byte, 16<<10)}
}

// Open implements [Root].
func (d *directory) Open(dir Handle, name string) (Handle, error) {
	d.name = d.name[:0]
	if dir == 0 {
		d.name = append(append(d.name, d.path...), '/')
	}
	d.name = append(append(d.name, name...), 0)
	return d.openat(dir, unix.O_RDONLY)
}

// Process implements [Root].
func (d *directory) Process(proc Handle, pid int) (Handle, error) {
	d.name = append(strconv.AppendInt(d.name[:0], int64(pid), 10), 0)
	return d.openat(proc, unix.O_PATH|unix.O_DIRECTORY)
}

// openat opens the file that d.name names.
func (d *directory) openat(dir Handle, flags int) (Handle, error) {
	for {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, descriptor(dir), uintptr(unsafe.Pointer(&d.name[0])), uintptr(flags|unix.O_CLOEXEC), 0, 0, 0)
		if errno == 0 {
			return Handle(fd + 1), nil
		}
		if errno != unix.EINTR {
			return 0, systemError(errno)
		}
	}
}

// descriptor returns what the kernel knows a handle by. Handles are 1 above so
// that 0 is none; that stands for the working directory, which a name that
// begins with a slash does not use.
func descriptor(h Handle) uintptr {
	if h == 0 {
		cwd := unix.AT_FDCWD
		return uintptr(cwd)
	}
	return uintptr(h - 1)
}

// systemError makes one error of those that tell that something is gone:
// ENOENT by name; through an open descriptor ESRCH of a process and ENODEV of a
// device, such as a processor's idle states.
func systemError(err error) error {
	if errors.Is(err, unix.ESRCH) || errors.Is(err, unix.ENODEV) {
		return fs.ErrNotExist
	}
	return err
}

// Processes implements [Root].
func (d *directory) Processes(proc Handle, dst []int) ([]int, error) {
	fd := int(descriptor(proc))
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		return dst, err
	}
	for {
		n, err := unix.Getdents(fd, d.list)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return dst, err
		}
		dst = appendIDs(dst, d.list[:n])
	}
}

// appendIDs appends the names among directory entries that are numbers. An
// entry is a struct linux_dirent64: 8 bytes inode, 8 offset, 2 length, 1 type,
// then the name with a NUL at its end.
func appendIDs(dst []int, entries []byte) []int {
	const length, name = 16, 19
	for len(entries) > name {
		size := int(binary.NativeEndian.Uint16(entries[length:]))
		if size <= name || size > len(entries) {
			break
		}
		text := entries[name:size]
		for i, c := range text {
			if c == 0 {
				text = text[:i]
				break
			}
		}
		if id, ok := decimal(text); ok && id <= maxID {
			dst = append(dst, int(id))
		}
		entries = entries[size:]
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
	_, _, errno := unix.Syscall6(unix.SYS_STATX, descriptor(dir), uintptr(unsafe.Pointer(&d.name[0])), 0, unix.STATX_SIZE, uintptr(unsafe.Pointer(&d.stat)), 0)
	if errno != 0 {
		return 0, systemError(errno)
	}
	return int64(d.stat.Size), nil
}

// Close implements [Root].
func (d *directory) Close(h Handle) error { return unix.Close(int(descriptor(h))) }
