//go:build !windows

package console

import "syscall"

var systemClosedPipes = []error{syscall.EPIPE}
