// Package child waits for programs that this one started.
package child

import "os"

// Exit is how a program ended.
type Exit struct {
	Status int    // -1 where a signal ended it
	Signal string // that ended it, such as SIGTERM
}

// ExitOf is how a program ended that was waited for; nil is none that has ended, of status -1.
func ExitOf(s *os.ProcessState) Exit {
	if s == nil {
		return Exit{Status: -1}
	}
	return Exit{s.ExitCode(), signalOf(s)}
}
