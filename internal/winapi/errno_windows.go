package winapi

import "syscall"

func (e Errno) systemText() string { return syscall.Errno(e).Error() }
