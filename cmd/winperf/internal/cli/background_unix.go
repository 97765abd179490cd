//go:build linux || darwin

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// inBackground tells whether a terminal is another job's now: what is drawn on it would
// stand in what somebody types.
func inBackground(terminal any) bool {
	f, ok := terminal.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group != unix.Getpgrp()
}
