//go:build !unix

package control

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ownerOf returns -1: the owner is not known.
func ownerOf(fs.FileInfo) int { return -1 }

// isRefused reports whether no program listens at a socket.
func isRefused(err error) bool {
	const refused = syscall.Errno(10061) // WSAECONNREFUSED of winsock2.h
	return errors.Is(err, refused) || errors.Is(err, fs.ErrNotExist)
}

// isAlive reports whether the process exists.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // opened only for this check
	return true
}
