//go:build !linux

package delivery

import "syscall"

// endsWithParent is nil: this system cannot end a program with the process that started it.
func endsWithParent() *syscall.SysProcAttr { return nil }
