package publish

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/winperf/winperf"
	"golang.org/x/sys/unix"
)

// identify asks the system about an open file. When it was made its owner can set
// here, so that is not asked.
func identify(f *os.File) (id identity, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return id, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return id, fmt.Errorf("no regular file: %w", winperf.ErrBadData)
	}
	return identity{device: uint64(st.Dev), number: st.Ino, owner: int64(st.Uid), writable: st.Mode&0o022 != 0}, nil
}

// ownerOf returns the account that a file is said to be of.
func ownerOf(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Uid)
	}
	return -1
}
