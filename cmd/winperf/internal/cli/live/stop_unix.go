//go:build linux || darwin

package live

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// stopJob stops the program's job, as Ctrl-Z does, and returns when it continues. Without a job-control
// shell the system does not stop it.
func stopJob() {
	const soon = 200 * time.Millisecond // the stop may take effect with a delay
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	_ = unix.Kill(0, unix.SIGTSTP)
	select {
	case <-continued:
	case <-time.After(soon):
	}
}
