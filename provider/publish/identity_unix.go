//go:build linux || darwin

package publish

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/winperf/winperf"
	"golang.org/x/sys/unix"
)

// identify asks the system about an open file.
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

// widen takes a device number, whose type depends on the system.
func widen[T int32 | uint32 | uint64](n T) uint64 { return uint64(n) }

// ownerOf returns the account that a file is said to be of.
func ownerOf(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Uid)
	}
	return -1
}
