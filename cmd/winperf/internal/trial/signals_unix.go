//go:build unix

package trial

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// signalNamed is the signal of a name, with or without SIG before it.
func signalNamed(name string) (os.Signal, error) {
	s := unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG"))
	if s == 0 {
		return nil, fmt.Errorf("%q is no signal of this system; expected one such as USR1", name)
	}
	if s == unix.SIGKILL || s == unix.SIGSTOP {
		return nil, fmt.Errorf("no program is told of %q; expected one such as USR1", name)
	}
	return s, nil
}
