// Package child waits for programs that this program started.
package child

import "os"

// Exit describes the end of a program.
type Exit struct {
	Status int    // -1 if a signal ended it
	Signal string // the signal that ended it, such as SIGTERM
}

// ExitOf returns the Exit of a program after Wait; its status is -1 for nil.
func ExitOf(s *os.ProcessState) Exit {
	if s == nil {
		return Exit{Status: -1}
	}
	return Exit{s.ExitCode(), signalOf(s)}
}
