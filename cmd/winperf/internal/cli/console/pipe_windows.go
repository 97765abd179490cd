package console

import "syscall"

// systemClosedPipes are this system's errors of writing to a pipe that nobody
// reads any more: ERROR_BROKEN_PIPE and ERROR_NO_DATA of winerror.h.
var systemClosedPipes = []error{syscall.ERROR_BROKEN_PIPE, syscall.Errno(232)}
