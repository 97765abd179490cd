//go:build !unix

package control

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ownerOf returns -1: the owner is unknown on this system.
func ownerOf(fs.FileInfo) int { return -1 }

// noListener reports whether the error of a connection means that the socket does not exist
// or that no program listens at it.
func noListener(err error) bool {
	const refused = syscall.Errno(10061) // WSAECONNREFUSED of winsock2.h
	return errors.Is(err, refused) || errors.Is(err, fs.ErrNotExist)
}

// isAlive reports whether a process exists.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // opened only for the check
	return true
}
