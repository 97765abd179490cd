//go:build !windows

package console

import "syscall"

// systemClosedPipes is this system's error of writing to a pipe that nobody
// reads any more.
var systemClosedPipes = []error{syscall.EPIPE}
