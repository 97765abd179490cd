//go:build unix

package control

import (
	"errors"
	"io/fs"
	"syscall"
)

// ownerOf returns the account that owns a file, -1 if it is unknown.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// isRefused reports whether no program listens at a socket.
func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}

// isAlive reports whether the process exists.
func isAlive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
