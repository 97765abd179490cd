//go:build unix

package control

import (
	"errors"
	"io/fs"
	"syscall"
)

// ownerOf returns the user id of a file's owner, -1 if unknown.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

// noListener reports whether the error of a connection means that the socket does not exist
// or that no program listens at it.
func noListener(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT)
}

// isAlive reports whether a process exists.
func isAlive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
