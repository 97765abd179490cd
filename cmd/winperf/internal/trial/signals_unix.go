//go:build unix

package trial

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// signalNamed returns the signal with a name, with or without the prefix SIG.
func signalNamed(name string) (os.Signal, error) {
	s := unix.SignalNum("SIG" + strings.TrimPrefix(strings.ToUpper(name), "SIG"))
	if s == 0 {
		return nil, fmt.Errorf("%q is not a signal of this system; expected a signal such as USR1", name)
	}
	if s == unix.SIGKILL || s == unix.SIGSTOP {
		return nil, fmt.Errorf("programs cannot handle %q; expected a signal such as USR1", name)
	}
	return s, nil
}
