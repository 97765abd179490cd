//go:build linux || darwin

package picture

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// terminalEvents sends signals about the terminal to events until stop is called. Reading keys in the
// background becomes an error instead of stopping the program.
func terminalEvents(events chan<- os.Signal) (stop func()) {
	signal.Ignore(unix.SIGTTIN)
	signal.Notify(events, unix.SIGWINCH, unix.SIGCONT)
	return func() { signal.Stop(events) }
}

func isContinue(event os.Signal) bool { return event == unix.SIGCONT }

// stopJob stops the program's job, as Ctrl-Z does, and returns when it continues. Without a job-control
// shell the system does not stop it.
func stopJob(events <-chan os.Signal) {
	const soon = 200 * time.Millisecond // the stop may take effect with a delay
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

func abort() { _ = unix.Kill(unix.Getpid(), unix.SIGQUIT) }
