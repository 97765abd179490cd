//go:build linux || darwin

package picture

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// terminalEvents has signals about the terminal sent to events until stop is called. To
// read keys in the background becomes an error, which would stop the program.
func terminalEvents(events chan<- os.Signal) (stop func()) {
	signal.Ignore(unix.SIGTTIN)
	signal.Notify(events, unix.SIGWINCH, unix.SIGCONT)
	return func() { signal.Stop(events) }
}

// isContinue reports whether the program goes on after it was stopped.
func isContinue(event os.Signal) bool { return event == unix.SIGCONT }

// stopJob stops the job that the program belongs to, as Ctrl-Z does, and returns when it
// goes on. Where no shell looks after it the system does not stop it.
func stopJob(events <-chan os.Signal) {
	const soon = 200 * time.Millisecond // a stop is for the whole program, but not at once
	_ = unix.Kill(0, unix.SIGTSTP)
	for begin := time.Now(); time.Since(begin) < soon; {
		select {
		case event := <-events:
			if isContinue(event) {
				return
			}
		case <-time.After(soon):
		}
	}
}

// abort ends the program as Ctrl-\ does.
func abort() { _ = unix.Kill(unix.Getpid(), unix.SIGQUIT) }
