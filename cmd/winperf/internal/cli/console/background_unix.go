//go:build linux || darwin

package console

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// InBackground reports whether the terminal belongs to another job, so that output would disturb its
// input.
func InBackground(terminal any) bool {
	f, ok := terminal.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group != unix.Getpgrp()
}

// Continues returns a function that reports whether the program continued after a stop, such as Ctrl-Z,
// since the last call.
func Continues() func() bool {
	events := make(chan os.Signal, 1)
	signal.Notify(events, unix.SIGCONT)
	return func() bool {
		select {
		case <-events:
			return true
		default:
			return false
		}
	}
}
