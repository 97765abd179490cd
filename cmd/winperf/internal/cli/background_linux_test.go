package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBackground records at a terminal as a job in the background, which draws nothing
// into what somebody types, and in the foreground, where it shows how far it is.
func TestBackground(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, script string
		draws        bool
	}{
		{"background", `set -m; "$0" "$@" & wait $!`, false},
		{"foreground", `"$0" "$@"`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			program, log := filepath.Join(dir, "winperf"), filepath.Join(dir, "x.csv")
			if err := os.Symlink(exe, program); err != nil {
				t.Fatal(err)
			}

			master, terminal := openTerminal(t)
			cmd := exec.Command("sh", "-c", tt.script, program, "record", livePath(t), "-i", "0.05", "-n", "20", "-o", log)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			var shown lockedBuffer
			copied := make(chan struct{})
			go func() {
				_, _ = io.Copy(&shown, master) // until the terminal is closed
				close(copied)
			}()
			err := cmd.Run()
			_ = terminal.Close()
			<-copied
			_ = master.Close()

			if err != nil || strings.Count(content(t, log), "\n") != 21 {
				t.Errorf("%v, %s", err, content(t, log))
			}
			if draws := strings.Contains(shown.String(), "Ctrl-C stops"); draws != tt.draws {
				t.Errorf("it drew: %v, shown is %q", draws, shown.String())
			}
			if silent := !strings.Contains(shown.String(), "samples, "); silent == tt.draws {
				t.Errorf("it was silent: %v, shown is %q", silent, shown.String())
			}
		})
	}
}
