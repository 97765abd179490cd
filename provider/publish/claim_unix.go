//go:build linux || darwin

package publish

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// makeClaim makes a claim, with the path of claimName. It points to its file, for
// people: what counts is its name.
func makeClaim(path string) error {
	return os.Symlink(filepath.Base(claimedFile(path)), path)
}

// readClaim reads a claim, the zero claim where there is none. It must be a link: an
// account that may mount a file system on a file of its own can make that file tell any
// time.
func readClaim(path string) claim {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	for errors.Is(err, unix.EINTR) {
		err = unix.Lstat(path, &st)
	}
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFLNK {
		return claim{}
	}
	return claim{owner: int64(st.Uid), at: st.Ctim.Nano()}
}

// removeClaim removes a claim. There may be none.
func removeClaim(path string) error {
	if err := os.Remove(path); err != nil && !absent(err) {
		return err
	}
	return nil
}
