//go:build !unix

package control

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ownerOf is not known.
func ownerOf(fs.FileInfo) int { return -1 }

// isRefused reports whether nobody listens at a socket.
func isRefused(err error) bool {
	const refused = syscall.Errno(10061) // WSAECONNREFUSED of winsock2.h
	return errors.Is(err, refused) || errors.Is(err, fs.ErrNotExist)
}

// isAlive reports whether there is a process.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // it was opened only to see whether it is there
	return true
}
