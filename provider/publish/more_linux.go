package publish

import (
	"os"

	"golang.org/x/sys/unix"
)

// moreOf asks for what fstat does not tell. An open file may be a mount point: an account
// that mounts a file system of its own (FUSE) on a file of its own can make it tell any
// owner; kernels before 5.8 do not say so. The time when the file was made, in ns since
// 1970, no account can set; it is 0 where it is not known.
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
