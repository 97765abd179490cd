package publish

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/winperf/winperf"
	"golang.org/x/sys/unix"
)

// identify asks the system about an open file. No account can set the time when
// its file was made, unlike those of its last change.
func identify(f *os.File) (id identity, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return id, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return id, fmt.Errorf("no regular file: %w", winperf.ErrBadData)
	}
	id = identity{device: widen(st.Dev), number: st.Ino, owner: int64(st.Uid), writable: st.Mode&0o022 != 0}

	var more unix.Statx_t // file systems and kernels may lack it
	err = unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &more)
	if err == nil && more.Mask&unix.STATX_BTIME != 0 {
		id.born = more.Btime.Sec*1e9 + int64(more.Btime.Nsec)
	}
	return id, nil
}

// widen takes a device number, whose size depends on the processor.
func widen[T uint32 | uint64](n T) uint64 { return uint64(n) }

// ownerOf returns the account that a file is said to be of.
func ownerOf(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Uid)
	}
	return -1
}
