package console

import "syscall"

var systemClosedPipes = []error{syscall.ERROR_BROKEN_PIPE, syscall.Errno(232)}
