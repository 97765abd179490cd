//go:build unix

package control

import (
	"errors"
	"io/fs"
	"syscall"
)

// ownerOf is the account that a file belongs to, -1 where that is not known.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// isRefused reports whether nobody listens at a socket.
func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}

// isAlive reports whether there is a process.
func isAlive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
