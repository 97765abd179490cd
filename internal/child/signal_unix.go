//go:build unix

package child

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalOf returns the signal that ended a program, "" for none.
func signalOf(s *os.ProcessState) string {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return signalName(status.Signal())
	}
	return ""
}

// unnamed is the prefix of the number of a signal without a name, such as a real-time signal.
const unnamed = "signal "

func signalName(s syscall.Signal) string {
	return cmp.Or(unix.SignalName(s), unnamed+strconv.Itoa(int(s)))
}

// SignalNumber returns the number of a signal named in an Exit, 0 for none.
func SignalNumber(name string) int {
	if digits, ok := strings.CutPrefix(name, unnamed); ok {
		n, _ := strconv.Atoi(digits) // 0 for a name that this package did not make
		return n
	}
	return int(unix.SignalNum(name))
}
