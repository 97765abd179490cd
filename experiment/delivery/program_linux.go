package delivery

import "syscall"

// endsWithParent makes a program end when the process that started it is killed. Programs that read
// their input end with it; others would go on for ever.
func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
