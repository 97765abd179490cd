package control

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the user of the process at the other end of a connection. The process id is not available.
func peer(c *net.UnixConn) (uid, pid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var cred *unix.Xucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Uid), 0, nil
}
