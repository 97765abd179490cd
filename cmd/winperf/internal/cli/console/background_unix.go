//go:build linux || darwin

package console

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// InBackground tells whether a terminal is another job's now: what is drawn on it would
// stand in what somebody types.
func InBackground(terminal any) bool {
	f, ok := terminal.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group != unix.Getpgrp()
}

// Continues returns a function that reports whether the program went on after a stop, such as of
// Ctrl-Z, since it was called last.
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
